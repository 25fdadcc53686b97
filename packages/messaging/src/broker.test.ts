import { checkVersion, judgeVersion } from './broker.ts'

// Proves: broker/version-below-4-0-refused-below-4-3-warned
test.each([
  ['3.13.7', 'refuse'],
  ['3.8', 'refuse'],
  ['4.0.0', 'warn'],
  ['4.2.3', 'warn'],
  ['4.3.0', 'good'],
  ['4.10.1', 'good'],
  ['5.0.0-rc.1', 'good'],
  ['', 'good'],
  ['another product', 'good'],
])('RabbitMQ %j: %s', (version, kind) => {
  expect(judgeVersion(version)).toMatchObject({ kind })
})

// Proves: broker/version-below-4-0-refused-below-4-3-warned
test('an old version is refused or warned about with the reason', () => {
  const lines: unknown[] = []
  const keep = (message: string, fields?: object): void => void lines.push([message, fields])
  const log = { warn: keep, error: keep }
  expect(() => checkVersion('3.13.7', log)).toThrow(/3\.13\.7 is refused: below 4\.0 /u)
  checkVersion('4.2.0', log)
  checkVersion('4.3.2', log)
  expect(lines).toEqual([
    ['broker version is refused', { version: '3.13.7', reason: expect.stringContaining('dead queues') }],
    ['broker version is old', { version: '4.2.0', reason: expect.stringContaining('delivery limit') }],
  ])
})
