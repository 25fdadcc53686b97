import winston from 'winston'
import { LineTransport } from './line-transport.ts'

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
