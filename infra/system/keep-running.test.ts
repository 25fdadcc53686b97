import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepRunning, restartDelayMs, type KeepRunningOptions } from './keep-running.ts'
import { openProcessBook } from './process-book.ts'
import { isRunning, identify, sendSignal } from './processes.ts'

let stateDir: string
beforeEach(() => (stateDir = mkdtempSync(join(tmpdir(), 'kept-'))))
afterEach(() => rmSync(stateDir, { recursive: true }))

const lines: string[] = []
const program = (script: string): KeepRunningOptions => ({
  name: 'program',
  command: process.execPath,
  args: ['-e', script],
  env: {},
  logFile: join(stateDir, 'program.log'),
  book: openProcessBook(stateDir, 'services'),
  log: (line) => lines.push(line),
  isReady: () => Promise.resolve(true),
  readyWithinMs: 10_000,
})

// Proves: operate/killed-process-started-again
test('a process that is killed is started again, until it is stopped', async () => {
  const { promise: restarted, resolve } = Promise.withResolvers<undefined>()
  const prepared: number[] = []
  const kept = await keepRunning({
    ...program('setInterval(() => {}, 1000)'),
    prepare: async () => void prepared.push(1),
    onRestart: () => resolve(undefined),
  })
  const first = kept.pid
  sendSignal(first, 'SIGKILL')
  await restarted

  expect(kept.pid).not.toBe(first)
  expect(prepared).toHaveLength(2)
  expect(lines.join()).toContain('program ended by itself (signal SIGKILL); starting it again in 250 ms')
  const second = identify(kept.pid)
  await kept.stop()
  expect(second && isRunning(second)).toBe(false)
  expect(openProcessBook(stateDir, 'services').running()).toEqual([])
})

test('one that ends before it is ready is an error with the end of its log', async () => {
  const start = keepRunning({ ...program('console.log("no port"); process.exit(3)'), isReady: () => Promise.resolve(false) })
  await expect(start).rejects.toThrow(/^program ended before it was ready \(exit code 3\)\. The end of its log, .*:\nno port$/u)
})

test('restarts slow down, up to a bound', () => {
  expect([1, 2, 3, 4].map(restartDelayMs)).toEqual([250, 500, 1000, 2000])
  expect(restartDelayMs(0)).toBe(250)
  expect(restartDelayMs(1_000)).toBe(15_000)
})
