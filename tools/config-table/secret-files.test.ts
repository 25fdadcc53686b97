import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '@gateway/service-kit'
import { completeOf, GOOD, inProduction, problemsOf } from './production.ts'
import { SERVICES, type Service } from './readings.ts'
import { UNSAFE } from './test/unsafe-values.ts'

const services = SERVICES.filter(({ name }) => name !== 'network-simulator')

const folder = mkdtempSync(join(tmpdir(), 'secrets-'))
afterAll(() => rmSync(folder, { recursive: true }))
const fileWith = (name: string, content: string) => {
  const file = join(folder, name)
  writeFileSync(file, `${content}\n`)
  return file
}
const secretsOf = (service: Service) => inProduction(service).flatMap(({ name, secret }) => (secret === true ? [name] : []))

test.each(services.map((service) => [service.name, service] as const))('%s reads the same from files', (_name, service) => {
  const complete: Record<string, string> = completeOf(service)
  const files = secretsOf(service).map((name) => [`${name}_FILE`, fileWith(name, String(GOOD[name]))] as const)
  const fromFiles = {
    ...complete,
    ...Object.fromEntries(secretsOf(service).map((name) => [name, ''])),
    ...Object.fromEntries(files),
  }
  expect(readConfig(fromFiles, service.read)).toEqual(readConfig(complete, service.read))
})

test.each(services.flatMap((service) => secretsOf(service).map((name) => [service.name, name, service] as const)))(
  '%s refuses %s twice, unreadable, and from a file with an unsafe value',
  (_service, name, service) => {
    const complete: Record<string, string> = completeOf(service)
    const file = fileWith(`${name}-twice`, String(GOOD[name]))
    expect(problemsOf({ ...complete, [`${name}_FILE`]: file }, service)).toEqual([
      `${name} and ${name}_FILE must not both be set`,
    ])
    const unreadable = { ...complete, [name]: '', [`${name}_FILE`]: folder }
    expect(problemsOf(unreadable, service)).toEqual([`${name}_FILE must be a file that can be read`])
    for (const [why, value] of UNSAFE[name] ?? []) {
      const unsafe = { ...complete, [name]: '', [`${name}_FILE`]: fileWith(`${name}-${why}`, value) }
      expect(problemsOf(unsafe, service).join('\n')).toMatch(new RegExp(`\\b${name}\\b`, 'u'))
    }
  },
)
