import { ConfigInvalid, parseDurationMs, readConfig } from './config.ts'

test('a whole configuration is read and frozen', () => {
  const config = readConfig(
    { PORT: '81', URL: 'http://a.example/', DELAYS: '10s, 1m', KEY: Buffer.alloc(32).toString('base64') },
    (env) => ({
      port: env.port('PORT', 80),
      url: env.url('URL', ['http:']),
      delays: env.durationsMs('DELAYS', '1s'),
      other: env.durationMs('OTHER', '2h'),
      key: env.key('KEY'),
    }),
  )
  expect(config).toMatchObject({ port: 81, url: 'http://a.example', delays: [10_000, 60_000], other: 7_200_000 })
  expect(Object.isFrozen(config)).toBe(true)
})

test('every mistake is named at once, and no value is shown', () => {
  const read = () =>
    readConfig(
      { PORT: 'eighty', SECRET: 'hunter2', ENVIRONMENT: 'prod', KEY: 'c2hvcnQ=', GATEWAY: 'http://plain.example' },
      (env) => ({
        port: env.port('PORT', 80),
        secret: env.secret('SECRET'),
        environment: env.environment(),
        url: env.url('MONGO_URL', ['mongodb:']),
        key: env.key('KEY'),
        gateway: env.serviceUrl('GATEWAY', 'production'),
      }),
    )
  expect(read).toThrow(ConfigInvalid)
  for (const name of ['PORT', 'SECRET', 'ENVIRONMENT', 'MONGO_URL', 'KEY', 'GATEWAY'])
    expect(read).toThrow(new RegExp(`${name} `, 'u'))
  expect(read).not.toThrow(/hunter2|plain\.example/u)
})

test.each([
  ['5ms', 5],
  ['1s', 1000],
  ['2m', 120_000],
  ['1d', 86_400_000],
  ['', undefined],
  ['10', undefined],
  ['-1s', undefined],
  ['1.5s', undefined],
])('%j is %s ms', (text, expected) => {
  expect(parseDurationMs(text)).toBe(expected)
})
