import { readStack } from '../stack-file.ts'
import { listLeftovers, readHolder } from '../state-lock.ts'
import { isReady } from '../start-services.ts'
import { residentMb } from '@gateway-infra/system/processes'
import { type Command, runCommand } from '@gateway-infra/system/command'

/** Prints what is running; exit code 0 when the whole stack is ready. */
const status: Command = async ({ paths }) => {
  const holder = readHolder(paths.stateDir)
  if (!holder) {
    const left = listLeftovers(paths.stateDir)
    console.log(
      left.length === 0
        ? 'nothing is running'
        : `a killed stack left processes running: ${left.join(', ')}; npm start or npm stop ends them`,
    )
    return 1
  }
  const stack = readStack(paths.stateDir)
  const services = Object.entries(stack?.services ?? {})
  const ready = await Promise.all(services.map(async ([, { health }]) => isReady(health).catch(() => false)))
  const memory = services.map(([, { pid }]) => residentMb(pid))
  console.log(`${holder.command} is running as pid ${holder.pid}${stack ? ` at ${stack.base_url}` : '; its stack is not ready'}`)
  services.forEach(([name, { pid, url }], index) => {
    const state = ready[index] ? 'ready    ' : 'not ready'
    console.log(`  ${name.padEnd(20)} ${state}  ${inMb(memory[index])}  pid ${pid}  ${url}`)
  })
  if (services.length > 0)
    console.log(`  ${'all services'.padEnd(31)}  ${inMb(memory.reduce((sum, one) => sum + (one || 0), 0) || NaN)}`)
  return stack && ready.every(Boolean) ? 0 : 1
}

/** Empty when the memory cannot be read. */
function inMb(memory = NaN): string {
  return (Number.isNaN(memory) ? '' : `${memory.toFixed(0)} MiB`).padStart(8)
}

await runCommand(status)
