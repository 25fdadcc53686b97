/** A production configuration with a missing or unsafe value refuses to start, names the variable and shows no value. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '@gateway/service-kit'
import { completeOf, inProduction, isRequired, problemsOf } from './production.ts'
import { SERVICES } from './readings.ts'
import { UNSAFE } from './test/unsafe-values.ts'

const [simulator, ...others] = SERVICES.toSorted((one) => (one.name === 'network-simulator' ? -1 : 1))

const cases = others.flatMap((service) =>
  inProduction(service).flatMap((reading) => [
    ...(isRequired(reading) ? [[service.name, reading.name, 'missing', '', service] as const] : []),
    ...(UNSAFE[reading.name] ?? []).map(([why, value]) => [service.name, reading.name, why, value, service] as const),
  ]),
)

test.each(others.map((service) => [service.name, service] as const))(
  '%s starts in production with safe values',
  (_name, service) => {
    expect(readConfig(completeOf(service), service.read)).toMatchObject({ environment: 'production' })
  },
)

test('every secret, every required variable and every address of a service has unsafe values here', () => {
  const guarded = others
    .flatMap(inProduction)
    .filter(({ secret, required, type }) => secret === true || required === true || /URL/u.test(type))
  expect(guarded.filter(({ name }) => UNSAFE[name] === undefined)).toEqual([])
  const read = new Set(others.flatMap(inProduction).map(({ name }) => name))
  expect(Object.keys(UNSAFE).filter((name) => !read.has(name))).toEqual([])
})

// Proves: faults/production-refuses-plain-http
test.each(cases)('%s does not start in production with %s: %s', (_service, name, _why, value, service) => {
  const problems = problemsOf({ ...completeOf(service), [name]: value }, service)
  expect(problems).not.toEqual([])
  for (const problem of problems) expect(problem).toMatch(new RegExp(`\\b${name} |\\b${name}$`, 'u'))
  // Shorter ones stand in the messages themselves: `10` in `10s or 5m`.
  if (value.length >= 6) expect(problems.join('\n')).not.toContain(value)
})

test('the simulator never starts in production', () => {
  if (!simulator) throw new Error('there is no simulator')
  expect(problemsOf(completeOf(simulator), simulator)).toEqual([expect.stringMatching(/^ENVIRONMENT is production/u)])
})

test('all mistakes are named at once', () => {
  for (const service of others) {
    const names = inProduction(service)
      .filter(isRequired)
      .filter(({ onlyWith }) => onlyWith === undefined)
    expect(
      problemsOf({ ENVIRONMENT: 'production' }, service)
        .map((problem) => problem.split(' ')[0])
        .toSorted(),
    ).toEqual(
      names
        .map(({ name }) => name)
        .filter((name) => name !== 'ENVIRONMENT')
        .toSorted(),
    )
  }
})

test('secrets shown in docs and deployment files are refused', () => {
  const root = join(import.meta.dirname, '../..')
  const files = globSync(
    ['README.md', 'docs/**/*.md', 'services/*/README.md', '*.{yml,yaml}', 'infra/*/**/*.{yml,yaml,md,env}'],
    {
      cwd: root,
      exclude: ['**/node_modules/**'],
    },
  )
  const shown = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/\b([A-Z][A-Z_]+)["']?[=:] *["']?([^\s"'`<${|]{8,})/gu)].map(
      ([, name = '', value = '']) => ({ file, name, value }),
    ),
  )
  expect(files).toContain('README.md')
  const accepted = others.flatMap((service) => {
    const secrets = new Set(
      inProduction(service).flatMap(({ name, secret }) => (secret === true && !name.endsWith('_URL') ? [name] : [])),
    )
    return shown.filter(
      ({ name, value }) => secrets.has(name) && problemsOf({ ...completeOf(service), [name]: value }, service).length === 0,
    )
  })
  expect(accepted).toEqual([])
})
