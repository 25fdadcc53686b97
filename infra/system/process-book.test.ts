import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openProcessBook } from './process-book.ts'
import { identify, isRunning } from './processes.ts'

let stateDir: string
beforeEach(() => (stateDir = mkdtempSync(join(tmpdir(), 'book-'))))
afterEach(() => rmSync(stateDir, { recursive: true }))

const sleeper = (script = 'setInterval(() => {}, 1000)') => ({
  name: 'sleeper',
  command: process.execPath,
  args: ['-e', script],
  env: {},
  logFile: join(stateDir, 'sleeper.log'),
})

test('stopping a child ends it and strikes it from the book', async () => {
  const child = await openProcessBook(stateDir, 'services').start(sleeper())
  const identity = identify(child.pid)
  await child.stop()

  await expect(child.exited).resolves.toBe('signal SIGTERM')
  expect(identity && isRunning(identity)).toBe(false)
  await expect(openProcessBook(stateDir, 'services').endLeftovers()).resolves.toEqual([])
})

test('a book opened later ends what an earlier one had started, even when it ignores being asked', async () => {
  const ready = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'
  const child = await openProcessBook(stateDir, 'services').start(sleeper(ready))
  const later = openProcessBook(stateDir, 'services')

  expect(later.running()).toMatchObject([{ name: 'sleeper' }])
  await expect(later.endLeftovers(100)).resolves.toEqual(['sleeper'])
  await expect(child.exited).resolves.toMatch(/^signal /)
  expect(later.running()).toEqual([])
})

test('another process that got the same pid is left alone', () => {
  expect(isRunning({ pid: process.pid, startedAt: '1' })).toBe(false)
  expect(isRunning({ pid: process.pid, startedAt: identify(process.pid)?.startedAt ?? '' })).toBe(true)
})

test('a program that does not exist is an error at once', async () => {
  const book = openProcessBook(stateDir, 'services')
  await expect(book.start({ ...sleeper(), command: join(stateDir, 'missing') })).rejects.toThrow(/sleeper could not be started/)
})
