import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseDurationMs } from './values.ts'
import { ConfigInvalid, readConfig } from './read-config.ts'

const MEANING = 'what it means'

test('a whole configuration is read and frozen', () => {
  const config = readConfig(
    { PORT: '81', URL: 'http://a.example/', DELAYS: '10s, 1m', KEY: randomBytes(32).toString('base64') },
    (env) => ({
      port: env.port('PORT', 80, MEANING),
      url: env.url('URL', ['http:'], MEANING),
      delays: env.durationsMs('DELAYS', '1s', MEANING),
      other: env.durationMs('OTHER', '2h', MEANING),
      key: env.key('KEY', MEANING),
      metrics: env.optionalPort('METRICS', MEANING),
    }),
  )
  expect(config).toMatchObject({ port: 81, url: 'http://a.example', delays: [10_000, 60_000], other: 7_200_000 })
  expect(config.metrics).toBeUndefined()
  expect(Object.isFrozen(config)).toBe(true)
})

// Proves: spec/two-environments
test('every mistake is named at once, and no value is shown', () => {
  const read = () =>
    readConfig(
      { PORT: 'eighty', SECRET: 'hunter2', ENVIRONMENT: 'prod', KEY: 'c2hvcnQ=', GATEWAY: 'ftp://plain.example' },
      (env) => ({
        port: env.port('PORT', 80, MEANING),
        secret: env.secret('SECRET', MEANING),
        environment: env.environment(),
        url: env.url('MONGO_URL', ['mongodb:'], MEANING),
        key: env.key('KEY', MEANING),
        gateway: env.serviceUrl('GATEWAY', MEANING),
      }),
    )
  expect(read).toThrow(ConfigInvalid)
  for (const name of ['PORT', 'SECRET', 'ENVIRONMENT', 'MONGO_URL', 'KEY', 'GATEWAY'])
    expect(read).toThrow(new RegExp(`${name} `, 'u'))
  expect(read).not.toThrow(/hunter2|plain\.example/u)
})

test.each([
  ['mongodb://user:p%40ss@a:27017,b:27018,c:27019/?replicaSet=rs0', true],
  ['mongodb://a,b:27018', true],
  ['mongodb+srv://cluster.example', true],
  ['mongodb://', false],
  ['https://a.example', false],
  ['a:27017', false],
])('the database may be a replica set: %s', (url, isGood) => {
  const read = () =>
    readConfig({ MONGO_URL: url }, (env) => ({ url: env.secretUrl('MONGO_URL', ['mongodb:', 'mongodb+srv:'], MEANING) }))
  if (isGood) expect(read()).toEqual({ url })
  else expect(read).toThrow(/MONGO_URL must be a URL/u)
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

describe('a secret from a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'config-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const token = randomBytes(32).toString('base64url')
  const fileWith = (content: string) => {
    const file = join(folder, randomBytes(8).toString('hex'))
    writeFileSync(file, content)
    return file
  }
  const read = (variables: Record<string, string>) => readConfig(variables, (env) => ({ token: env.secret('TOKEN', MEANING) }))

  test.each(['', '\n', '\r\n'])('ends before its last newline (%j)', (end) => {
    expect(read({ TOKEN_FILE: fileWith(token + end) })).toEqual({ token })
  })

  test('only one newline is cut off, and nothing at the beginning', () => {
    expect(read({ TOKEN_FILE: fileWith(` ${token}\n\n`) })).toEqual({ token: ` ${token}\n` })
  })

  test.each([
    ['both given', () => ({ TOKEN: token, TOKEN_FILE: fileWith(token) }), /^ {2}- TOKEN and TOKEN_FILE must not both be set$/mu],
    ['no such file', () => ({ TOKEN_FILE: join(folder, 'none') }), /^ {2}- TOKEN_FILE must be a file that can be read$/mu],
    ['a folder', () => ({ TOKEN_FILE: folder }), /^ {2}- TOKEN_FILE must be a file that can be read$/mu],
    ['an empty file', () => ({ TOKEN_FILE: fileWith('\n') }), /^ {2}- TOKEN_FILE must be a file that holds one secret$/mu],
    ['a huge file', () => ({ TOKEN_FILE: fileWith('x'.repeat(70_000)) }), /^ {2}- TOKEN_FILE must be a file that holds one/mu],
    ['a short secret', () => ({ TOKEN_FILE: fileWith('hunter2') }), /^ {2}- TOKEN must have at least 32 characters$/mu],
  ])('%s: one problem, which names the variable and shows neither path nor content', (_what, variables, problem) => {
    const given = variables()
    expect(() => read(given)).toThrow(problem)
    expect(() => read(given)).not.toThrow(/- .*\n.*- /su)
    expect(() => read(given)).not.toThrow(new RegExp(`${folder}|${token}|hunter2`, 'u'))
  })

  test('only secrets are read from files', () => {
    expect(readConfig({ NAME_FILE: fileWith('b') }, (env) => ({ name: env.text('NAME', 'a', MEANING) }))).toEqual({ name: 'a' })
  })
})

test('names that are nearly right are pointed out, others are left alone', () => {
  const warnings: string[] = []
  const variables = { WEBHOOK_RETRY_DELAY: '1s', WEBHOOK_TOKEN_FLIE: '/x', HOST: 'a', KUBERNETES_PORT: '1', PATH: '/bin' }
  readConfig(
    { ...variables, WEBHOOK_TOKEN: randomBytes(32).toString('hex') },
    (env) => ({
      port: env.port('PORT', 1, MEANING),
      delays: env.durationsMs('WEBHOOK_RETRY_DELAYS', '1s', MEANING),
      token: env.secret('WEBHOOK_TOKEN', MEANING),
    }),
    (warning) => warnings.push(warning),
  )
  expect(warnings).toEqual([
    'WEBHOOK_RETRY_DELAY is not known: is it WEBHOOK_RETRY_DELAYS?',
    'WEBHOOK_TOKEN_FLIE is not known: is it WEBHOOK_TOKEN_FILE?',
  ])
})

test('a missing variable and its misspelling are named together', () => {
  expect(() => readConfig({ NETWORK_APIKEY: 'x' }, (env) => ({ key: env.secret('NETWORK_API_KEY', MEANING) }))).toThrow(
    /NETWORK_API_KEY is required\n.*NETWORK_APIKEY is not known: is it NETWORK_API_KEY\?/u,
  )
})
