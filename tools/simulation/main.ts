import { parseArgs } from 'node:util'
import { install } from './hooks/install.ts'

install()
const { values } = parseArgs({ options: { seed: { type: 'string', default: '1' }, trace: { type: 'boolean', default: false } } })
const { runSeed } = await import('./run.ts')
const began = process.hrtime.bigint()
const { world, ...result } = await runSeed({
  seed: Number(values.seed),
  payments: 40,
  ...(values.trace && { onLine: (line: string) => console.log(line) }),
})
console.log(result, world.merchants.operations.length, Number(process.hrtime.bigint() - began) / 1e6)
process.exit(0)
