import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@gateway-infra/system/paths'
import { auditOutcome, imagesIn, unpinned, withoutDigest } from './supply-chain.ts'

const PINNED = `registry.example.com/engine@sha256:${'0'.repeat(64)}`

// Proves: operate/supply-chain-is-checked
test('images are found in compose files, Dockerfiles, manifests and kustomizations; own ones are left out', () => {
  const compose = 'image: ${MONGO_IMAGE:-mongo:8}\n    image: ${IMAGE_PREFIX:-payment-gateway}/checkout:${IMAGE_TAG:-local}\n'
  const kustomization = '  - { name: a/b, newTag: v1 }\n  - { name: a/c, newName: r/c, digest: sha256:12 }\n'
  expect(imagesIn(compose)).toEqual(['mongo:8'])
  expect(imagesIn('ARG NODE_IMAGE=node:24-slim\nFROM ${NODE_IMAGE}\n')).toEqual(['node:24-slim'])
  expect(imagesIn('  image: rabbitmq:4.3-management\n  image: payment-gateway/checkout:1\n  image: a/b\n')).toEqual([
    'rabbitmq:4.3-management',
  ])
  expect(imagesIn(kustomization)).toEqual(['a/b:v1', 'r/c@sha256:12'])
})

// Proves: operate/supply-chain-is-checked
test('an image needs a digest unless it is known to lack one', () => {
  expect(unpinned([PINNED, 'mongo:8', 'mongo:9', 'mongo:9', 'redis'])).toEqual(['mongo:9', 'redis'])
  expect(withoutDigest([PINNED, 'mongo:8', 'mongo:8'])).toEqual(['mongo:8'])
})

// Proves: operate/supply-chain-is-checked
test.each([
  [0, '{"advisories":{}}', 'none'],
  [1, '{"advisories":{"1":{"severity":"high"}}}', 'found'],
  [1, 'Error: ERR_PNPM_AUDIT_BAD_RESPONSE\n × The audit endpoint (at https://registry/) responded with 405:', 'not offered'],
  [1, 'getaddrinfo ENOTFOUND registry', 'not offered'],
  [1, 'Error: ERR_PNPM_AUDIT_BAD_RESPONSE\n × The audit endpoint responded with 500:', 'failed'],
  [1, 'ERR_PNPM_OUTDATED_LOCKFILE', 'failed'],
])('an audit that ends with %i and "%s": %s', (code, output, outcome) => {
  expect(auditOutcome({ code, output })).toBe(outcome)
})

// Proves: operate/supply-chain-is-checked
test('a secret in the tree is found by the rules that the check uses', () => {
  const directory = mkdtempSync(join(ROOT, 'secretlint-'))
  const scan = () => {
    const program = join(ROOT, 'node_modules/.bin/secretlint')
    const { status } = spawnSync(program, ['--no-glob', join(directory, 'file.ts')], { cwd: ROOT })
    return status
  }
  try {
    writeFileSync(join(directory, 'file.ts'), 'export const harmless = 1\n')
    expect(scan()).toBe(0)
    // Put together here, so that this file has no secret in it.
    writeFileSync(join(directory, 'file.ts'), `export const token = '${['ghp', 'a1B2'.repeat(9)].join('_')}'\n`)
    expect(scan()).toBe(1)
  } finally {
    rmSync(directory, { recursive: true })
  }
})
