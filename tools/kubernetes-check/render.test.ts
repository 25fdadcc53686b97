/** The renderer makes what kustomize makes, and refuses what it does not know. */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { OVERLAYS, renderDeployment, STEPS } from './deployment.ts'
import { nameOf, type Manifest } from './manifests.ts'
import { render } from './render.ts'
import { problemsOf } from './rules/index.ts'

const KUBERNETES = join(OVERLAYS, '..')
const folders = readdirSync(OVERLAYS).flatMap((overlay) => STEPS.map((step) => `${overlay}/${step}`))

const PROGRAMS = [
  ['kustomize', 'build'],
  ['kubectl', 'kustomize'],
] as const
const kustomize = PROGRAMS.find(([program]) => spawnSync(program, ['version', '--client']).error === undefined)
const testWithKustomize = kustomize ? test : test.skip

/** Kustomize ends the names of ConfigMaps with a hash of what is in them; order is nobody's matter. */
function comparable(objects: readonly Manifest[]): Record<string, unknown> {
  const withoutHash = JSON.stringify(objects).replaceAll(
    /("name":"(?:[\w-]+-)?(?:settings|indexes)(?:-0-1-0)?)-[a-z0-9]{10}"/gu,
    '$1"',
  )
  const plain: Manifest[] = JSON.parse(withoutHash)
  return Object.fromEntries(plain.map((object) => [`${object.metadata.namespace ?? ''} ${nameOf(object)}`, object]))
}

testWithKustomize.each(folders)('%s is what kustomize makes of it', (folder) => {
  const [program = '', command = ''] = kustomize ?? []
  const text = execFileSync(program, [command, join(OVERLAYS, folder)], { encoding: 'utf8' })
  const made = parseAllDocuments(text, { version: '1.1' }).map((document) => {
    const object: Manifest = document.toJS()
    return object
  })
  expect(comparable(render(join(OVERLAYS, folder)))).toEqual(comparable(made))
})

describe('a copy with a change', () => {
  let copy: string
  beforeEach(() => {
    copy = mkdtempSync(join(tmpdir(), 'kubernetes-'))
    for (const part of ['base', 'overlays']) cpSync(join(KUBERNETES, part), join(copy, part), { recursive: true })
  })
  afterEach(() => rmSync(copy, { recursive: true }))

  const change = (file: string, from: string, to: string): void => {
    const text = readFileSync(join(copy, file), 'utf8')
    expect(text).toContain(from)
    writeFileSync(join(copy, file), text.replace(from, to))
  }
  const production = () => renderDeployment(join(copy, 'overlays/production'))

  test('as it is it has no problem', () => {
    expect(problemsOf(production())).toEqual([])
  })

  // Proves: deploy/manifests-match-their-schemas
  test('a misspelt field of a file is named', () => {
    change('base/services/checkout.yaml', 'maxReplicas', 'maxReplica')
    expect(problemsOf(production()).map(({ problem }) => problem)).toContain(
      'HorizontalPodAutoscaler checkout: /spec must not have "maxReplica": no such field',
    )
  })

  test('a field that stands there twice is no YAML', () => {
    change('base/services/checkout.yaml', '  minReplicas: 2', '  minReplicas: 2\n  minReplicas: 3')
    expect(production).toThrow(/checkout\.yaml: Map keys must be unique/u)
  })

  test.each([
    ['services', 'resources:', 'namePrefix: new-\nresources:', 'namePrefix'],
    ['settings', 'envs: [all.env]', 'envs: [all.env], behavior: merge', 'behavior'],
    ['images', 'newTag: 0.1.0', 'tagSuffix: -rc', 'tagSuffix'],
  ])('what kustomize could and this cannot is refused rather than left out: %s', (part, from, to, named) => {
    change(`overlays/production/${part}/kustomization.yaml`, from, to)
    expect(production).toThrow(`not known here: ${named}`)
  })

  test('a setting of an overlay reaches the service that it is for', () => {
    change('overlays/production/settings/auth-token.env', '30d', '30 days')
    expect(problemsOf(production()).map(({ problem }) => problem)).toContainEqual(
      expect.stringContaining('Deployment auth-token would not start: SIGNING_KEY_ROTATE_AFTER'),
    )
  })
})
