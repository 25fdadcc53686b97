/**
 * `npm run supply-chain`: writes the bill of materials to `reports/sbom.cdx.json`, searches the tree for secrets, asks the
 * registry for advisories, and lists images that are not pinned. Exits with 1 when one of them finds something.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@gateway-infra/system/paths'
import { auditOutcome, imagesIn, unpinned, withoutDigest } from './supply-chain-rules.ts'

const SBOM = 'reports/sbom.cdx.json'
const AUDIT_TIMEOUT_MS = 60_000

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
  .trim()
  .split('\n')

process.exitCode = [billOfMaterials(), secrets(), advisories(), images()].every(Boolean) ? 0 : 1

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

function secrets(): boolean {
  const { code, output } = run('secretlint', ['--no-glob', ...files])
  return say(code === 0, code === 0 ? `secrets: none in ${files.length} files` : `secrets: ${output}`)
}

function advisories(): boolean {
  const answer = run('pnpm', ['audit', '--prod', '--json'], AUDIT_TIMEOUT_MS)
  const outcome = auditOutcome(answer)
  if (outcome === 'not offered') return say(true, 'advisories: NOT OFFERED by this package registry, so nothing was checked')
  return say(outcome === 'none', outcome === 'none' ? 'advisories: none' : `advisories: ${answer.output}`)
}

function images(): boolean {
  const named = files.filter((file) => /(?:^|\/)Dockerfile$|docker-compose\.yml$|^infra\/kubernetes\/.*\.yaml$/u.test(file))
  const found = named.flatMap((file) => imagesIn(readFileSync(join(ROOT, file), 'utf8')))
  const bad = unpinned(found)
  if (bad.length > 0) return say(false, `images without a digest: ${bad.join(', ')}`)
  return say(true, `images: by version only, since no registry was reachable: ${withoutDigest(found).join(', ') || 'none'}`)
}
