/** Kustomize renders the manifests: a change in a file reaches the rules, and a broken file is refused. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OVERLAYS, renderDeployment } from './deployment.ts'
import { problemsOf } from './main.ts'

const KUBERNETES = join(OVERLAYS, '..')

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
    expect(problemsOf(production()).map(({ problem }) => problem)).toContainEqual(
      expect.stringContaining("additional properties 'maxReplica' not allowed"),
    )
  })

  test('a field that appears twice is refused', () => {
    change('base/services/checkout.yaml', '  minReplicas: 2', '  minReplicas: 2\n  minReplicas: 3')
    expect(production).toThrow(/mapping key "minReplicas" already defined/u)
  })

  test('an unknown field of a kustomization is refused', () => {
    change('overlays/production/services/kustomization.yaml', 'resources:', 'nameStart: new-\nresources:')
    expect(production).toThrow(/unknown field .*nameStart/u)
  })

  test('a setting of an overlay reaches the service that it is for', () => {
    change('overlays/production/settings/auth-token.env', '30d', '30 days')
    expect(problemsOf(production()).map(({ problem }) => problem)).toContainEqual(
      expect.stringContaining('Deployment auth-token would not start: SIGNING_KEY_ROTATE_AFTER'),
    )
  })

  describe.each(['production', 'sandbox'])('%s with UPI links of the connector', (name) => {
    const problems = () => problemsOf(renderDeployment(join(copy, 'overlays', name))).map(({ problem }) => problem)
    const switched = (file = `overlays/${name}/services/kustomization.yaml`) =>
      change(file, 'components:', 'components:\n  - ../../../base/connector-intents')

    // Proves: deploy/connector-intents
    test('the component gives order-api address, key and connection', () => {
      switched()
      expect(problems()).toEqual([])
    })

    // Proves: deploy/connector-intents
    test('without the policy or without the key it is refused', () => {
      switched()
      const component = 'base/connector-intents/kustomization.yaml'
      change(component, 'calls-network-', 'not-calls-network-')
      expect(problems()).toEqual([expect.stringContaining('needed, and not allowed to leave: order-api → ')])
      change(component, 'not-calls-network-', 'calls-network-')
      change(component, 'key: network_api_key, path: network_api_key', 'key: network_api_key, path: api_key')
      expect(problems()).toEqual([expect.stringContaining('/run/secrets/network_api_key, which no Secret brings')])
    })
  })
})
