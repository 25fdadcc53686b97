import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { until } from '@gateway-infra/system/stopping'
import { nativeIsImpossible } from '../backing/rootfs.ts'
import { CONTAINED } from './dockerd.ts'

const onDebian = (await nativeIsImpossible()) === undefined ? test : test.skip

onDebian('an engine and its containers end with a command that is killed', async () => {
  const seconds = String(randomInt(10_000, 1_000_000))
  // A container's process has left the engine's session, as here.
  const args = [...CONTAINED, 'sh', '-c', `setsid sleep ${seconds} & exec sleep ${seconds}`]
  const start = `require('child_process').spawn('setpriv', ${JSON.stringify(args)}, { detached: true, stdio: 'ignore' })`
  const command = spawn(process.execPath, ['-e', start], { stdio: 'ignore' })
  const sleeping = async (): Promise<number> => {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/u.test(name))
    const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
    return lines.filter((line) => line === `sleep\0${seconds}\0`).length
  }
  await until('the engine', async () => (await sleeping()) === 2, 30_000)
  command.kill('SIGKILL')

  await expect(until('the end of all', async () => (await sleeping()) === 0, 30_000)).resolves.toBeUndefined()
})
