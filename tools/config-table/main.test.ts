import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { misspellings, type EnvReader } from '@gateway/service-kit'
import { renderPage } from './main.ts'
import { readingsOf, SERVICES } from './readings.ts'

const root = join(import.meta.dirname, '../..')
const sources = (pattern: string) =>
  globSync(pattern, { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))
const readings = SERVICES.flatMap(readingsOf)

test('docs/configuration.md is what the services read now; if not: npm run config:table', () => {
  expect(readFileSync(join(root, 'docs/configuration.md'), 'utf8')).toBe(renderPage(SERVICES))
})

test('every variable says in one line what it means', () => {
  const unsaid = readings.filter(({ meaning, type }) => !/^[^|\n]{10,120}$/u.test(meaning) || !/^[^|\n]{4,100}$/u.test(type))
  expect(unsaid).toEqual([])
})

test('every service is in the table, and so is every variable that its configuration names', () => {
  const folders = globSync('services/*/src/config.ts', { cwd: root }).map((file) => file.split('/')[1])
  expect(SERVICES.map(({ name }) => name).toSorted()).toEqual(folders.toSorted())
  for (const { name } of SERVICES) {
    const read = new Set(readings.filter(({ service }) => service === name).map((reading) => reading.name))
    const named = sources(`services/${name}/src/**/*config.ts`).flatMap(({ text }) =>
      [...text.matchAll(/\benv\.\w+\(\s*'([A-Z][A-Z_]+)'/gu)].map(([, variable]) => variable),
    )
    expect(named.filter((variable) => !read.has(String(variable)))).toEqual([])
  }
})

test('nothing but the configuration reads the environment', () => {
  const files = [
    ...sources('services/*/src/**/*.ts'),
    ...sources('packages/{service-kit,contracts,messaging,outbox}/src/**/*.ts'),
  ]
  expect(files.filter(({ text }) => /(?<!`)process\.env/u.test(text)).map(({ file }) => file)).toEqual([
    'packages/service-kit/src/process/lifecycle.ts',
  ])
})

test('a variable of one service never looks misspelt to another, since a whole stack may share its environment', () => {
  const names = [...new Set(readings.map(({ name }) => name))]
  for (const service of SERVICES) expect(misspellings(names, readingsOf(service))).toEqual([])
})

describe('values that differ are listed with their services or environments', () => {
  const made = (name: string, read: (env: EnvReader) => unknown) => ({
    name,
    read: (env: EnvReader) => {
      const environment = env.environment()
      return { read: read(env), environment }
    },
  })
  const page = renderPage([
    made('alpha', (env) => {
      env.port('PORT', 1, 'where it listens')
      env.durationMs('GRACE', env.environment() === 'sandbox' ? '1s' : '9s', 'how long it waits')
      env.sandboxList('HOSTS', 'names', 'hosts for trying')
      return env.optionalServiceUrl('PEER', 'where the other is') === undefined ? undefined : env.secret('TOKEN', 'what is shown')
    }),
    made('beta', (env) => [
      env.port('PORT', 2, 'where it listens'),
      env.secret('TOKEN', 'what is shown'),
      env.text('PREFIX', '', 'before names'),
    ]),
  ])

  test.each([
    '| `ENVIRONMENT` | Which of the two environments this is | `sandbox`, `production` | — | yes | no | all |',
    '| `PORT` | where it listens | port | `1` (alpha); `2` (beta) | no | no | all |',
    '| `GRACE` | how long it waits | duration | `1s` (sandbox); `9s` (production) | no | no | alpha |',
    '| `HOSTS` | hosts for trying | names, separated by commas | — | no; refused in production | no | alpha |',
    '| `TOKEN` | what is shown | at least 32 random characters | — | with `PEER` (alpha); yes (beta) | yes, or `TOKEN_FILE` | all |',
    '| `PREFIX` | before names | text | empty | no | no | beta |',
  ])('%s', (row) => {
    expect(page.split('\n')).toContain(row)
  })
})
