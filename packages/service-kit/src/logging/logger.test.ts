import winston from 'winston'
import { createLog, LineTransport } from './logger.ts'

const write = process.stdout.write.bind(process.stdout)
afterEach(() => (process.stdout.write = write))

// Proves: faults/logs-hold-no-personal-data
test('what a library throws reaches no line: an error is described, a text is named by its type; a code of ours stays', () => {
  const written: string[] = []
  process.stdout.write = (text) => written.push(String(text)) > 0
  const log = createLog('test')
  log.error('request failed', { error: new SyntaxError('4111111111111111') })
  log.error('request failed', { error: 'frame of asha@okbank 9876543210' })
  log.error('webhook attempt', { error: 'address_refused: private' })
  const lines = written.map((line) => JSON.parse(line) as object)
  expect(lines).toMatchObject([
    { message: 'request failed', error: { name: 'SyntaxError' } },
    { error: { message: 'string' } },
    { error: 'address_refused: private' },
  ])
  expect(written.join('')).not.toMatch(/4111|asha|9876/u)
})

function loggerTo(transport: LineTransport): winston.Logger {
  return winston.createLogger({ format: winston.format.printf(({ message }) => String(message)), transports: transport })
}

test('lines go out together and in order, by themselves or when they are asked for', async () => {
  const written: string[] = []
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const transport = new LineTransport((lines) => {
    written.push(lines)
    resolve(undefined)
  })
  const logger = loggerTo(transport)
  logger.info('one')
  logger.info('two')
  expect(written).toEqual([])
  await promise
  logger.info('three')
  transport.flush()
  transport.flush()
  expect(written).toEqual(['one\ntwo\n', 'three\n'])
})

test('a long line is written at once', () => {
  const written: number[] = []
  loggerTo(new LineTransport((lines) => written.push(lines.length))).info('x'.repeat(40_000))
  expect(written).toEqual([40_001])
})
