/**
 * `npm run supply-chain`: writes the bill of materials to `reports/sbom.cdx.json`, searches the tree for secrets, asks the
 * registry for advisories, and lists images that are not pinned. Exits with 1 when one of them finds something.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@gateway-infra/system/paths'

const SBOM = 'reports/sbom.cdx.json'
const AUDIT_TIMEOUT_MS = 60_000

/**
 * Images of others that are named by version only: their digests could not be looked up where this was written, since no image
 * registry could be reached there. docs/operations/supply-chain.md says how to pin them.
 */
const WITHOUT_DIGEST: ReadonlySet<string> = new Set([
  'node:24-slim',
  'mongo:8',
  'rabbitmq:4-management',
  'rabbitmq:4.3-management',
  'ghostunnel/ghostunnel:v1.11.1-distroless',
])

const DIGEST = /@sha256:[0-9a-f]{64}$/u
/** Built here from this checkout, under names of the deployment. */
const OWN = /(?:^|\/)payment-gateway\/|IMAGE_PREFIX/u

function run(program: string, args: readonly string[], timeout?: number) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: ROOT, encoding: 'utf8', timeout })
  return { code: error ? -1 : (status ?? -1), output: `${stdout}${stderr}${error ? String(error) : ''}` }
}

function say(isGood: boolean, text: string): boolean {
  console.log(`${isGood ? 'ok    ' : 'FAILED'}  ${text}`)
  return isGood
}

/** CycloneDX, of all packages that production installs. */
function billOfMaterials(): boolean {
  mkdirSync(join(ROOT, 'reports'), { recursive: true })
  const options = ['--prod', '--sbom-format=cyclonedx', '--sbom-type=application', `--out=${SBOM}`]
  const { code, output } = run('pnpm', ['sbom', ...options])
  if (code !== 0) return say(false, `bill of materials: ${output}`)
  const { bomFormat, components } = JSON.parse(readFileSync(join(ROOT, SBOM), 'utf8')) as {
    readonly bomFormat: string
    readonly components: readonly { readonly name: string }[]
  }
  const names = new Set(components.map(({ name }) => name))
  const isWhole = bomFormat === 'CycloneDX' && ['express', 'mongoose', 'amqplib', 'jose'].every((name) => names.has(name))
  return say(isWhole, `bill of materials: ${components.length} components in ${SBOM}`)
}

function secrets(files: readonly string[]): boolean {
  const { code, output } = run('secretlint', ['--no-glob', ...files])
  return say(code === 0, code === 0 ? `secrets: none in ${files.length} files` : `secrets: ${output}`)
}

function advisories(): boolean {
  const answer = run('pnpm', ['audit', '--prod', '--json'], AUDIT_TIMEOUT_MS)
  const outcome = auditOutcome(answer)
  if (outcome === 'not offered') return say(true, 'advisories: NOT OFFERED by this package registry, so nothing was checked')
  return say(outcome === 'none', outcome === 'none' ? 'advisories: none' : `advisories: ${answer.output}`)
}

function images(files: readonly string[]): boolean {
  const named = files.filter((file) => /(?:^|\/)Dockerfile$|docker-compose\.yml$|^infra\/kubernetes\/.*\.yaml$/u.test(file))
  const found = named.flatMap((file) => imagesIn(readFileSync(join(ROOT, file), 'utf8')))
  const bad = unpinned(found)
  if (bad.length > 0) return say(false, `images without a digest: ${bad.join(', ')}`)
  return say(true, `images: by version only, since no registry was reachable: ${withoutDigest(found).join(', ') || 'none'}`)
}

/** The images of others in a compose file, a Dockerfile, a manifest or a kustomization. */
export function imagesIn(text: string): string[] {
  const compose = /\$\{(?:NODE|MONGO|RABBITMQ)_IMAGE:-([^}]+)\}/gu
  const docker = /^ARG \w+_IMAGE=(\S+)$/gmu
  // A name without a version gets it from a kustomization.
  const manifest = /^\s*image: ([^\s$]+[:@]\S+)$/gmu
  const named = [compose, docker, manifest].flatMap((form) => [...text.matchAll(form)].map(([, image = '']) => image))
  const kustomized = [...text.matchAll(/name: ([^\s,]+),(?: newName: ([^\s,]+),)? (newTag|digest): ([^\s}]+)/gu)].map(
    ([, name = '', newName = name, kind = '', version = '']) => `${newName}${kind === 'digest' ? '@' : ':'}${version}`,
  )
  return [...named, ...kustomized].filter((image) => !OWN.test(image))
}

/** Images that are neither pinned by digest nor known to lack one. */
export function unpinned(images: readonly string[]): string[] {
  return [...new Set(images)].filter((image) => !DIGEST.test(image) && !WITHOUT_DIGEST.has(image))
}

/** Images that are named by version only, which is said in the output of each run. */
export function withoutDigest(images: readonly string[]): string[] {
  return [...new Set(images)].filter((image) => WITHOUT_DIGEST.has(image))
}

/** What `pnpm audit` says. Registries that mirror packages often have no advisories. */
export function auditOutcome({
  code,
  output,
}: {
  readonly code: number
  readonly output: string
}): 'none' | 'found' | 'not offered' | 'failed' {
  if (code === 0) return 'none'
  if (/ERR_PNPM_AUDIT_(?:BAD_RESPONSE|ENDPOINT_NOT_EXISTS)/u.test(output) && /\b(?:404|405|501)\b/u.test(output))
    return 'not offered'
  if (/ENOTFOUND|ECONNREFUSED|EAI_AGAIN|ENETUNREACH/u.test(output)) return 'not offered'
  return /"(?:advisories|vulnerabilities)"/u.test(output) ? 'found' : 'failed'
}

if (import.meta.main) {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard']
  const files = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim().split('\n')
  process.exitCode = [billOfMaterials(), secrets(files), advisories(), images(files)].every(Boolean) ? 0 : 1
}
