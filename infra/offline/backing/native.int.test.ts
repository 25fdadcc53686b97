import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readPaths } from '@gateway-infra/system/paths'
import { choosePorts } from '@gateway-infra/system/ports'
import { sendSignal } from '@gateway-infra/system/processes'
import { createProgress } from '@gateway-infra/system/progress'
import { until } from '@gateway-infra/system/stopping'
import { startNative } from './native.ts'
import { pingAmqp, pingMongo } from './backing.ts'
import { nativeDataDir, nativeIsImpossible } from './rootfs.ts'

const onDebian = (await nativeIsImpossible()) === undefined ? test : test.skip

interface Book {
  readonly processes: readonly { readonly name: string; readonly pid: number }[]
}

// Proves: operate/killed-process-started-again
onDebian('a database or broker that is killed is started again', async () => {
  const { cacheDir } = readPaths(process.env)
  const stateDir = await mkdtemp(join(tmpdir(), 'native-'))
  await mkdir(join(stateDir, 'logs'))
  const lines: string[] = []
  const ports = await choosePorts({ STACK_PORTS: 'auto' })
  const progress = createProgress((line) => lines.push(line))
  const backing = await startNative({ stateDir, cacheDir, ports, progress, env: {} })
  const pids = async (): Promise<ReadonlyMap<string, number>> => {
    const book = JSON.parse(await readFile(join(stateDir, 'processes-backing.json'), 'utf8')) as Book
    return new Map(book.processes.map(({ name, pid }) => [name, pid]))
  }
  try {
    const started = await pids()
    expect([...started.keys()].toSorted()).toEqual(['epmd', 'ferretdb', 'postgres', 'rabbitmq'])
    const before = new Map([...started].filter(([name]) => name === 'postgres' || name === 'rabbitmq'))
    for (const pid of before.values()) sendSignal(pid, 'SIGKILL')

    const isBack = async (): Promise<boolean> => {
      const after = await pids()
      const isNew = [...before].every(([name, pid]) => after.has(name) && after.get(name) !== pid)
      await Promise.all([pingMongo(backing.mongoUrl), pingAmqp(backing.amqpUrl)])
      return isNew
    }
    await until('database and broker', isBack, 120_000)
    expect(lines.join('\n')).toContain('postgres ended by itself (signal SIGKILL); starting it again')
  } finally {
    await backing.stop()
    await rm(join(cacheDir, 'rootfs', nativeDataDir(stateDir)), { recursive: true, force: true })
    await rm(stateDir, { recursive: true })
  }
})
