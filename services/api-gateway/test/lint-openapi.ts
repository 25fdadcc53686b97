/**
 * `npm run openapi:lint`: checks the OpenAPI documents of sandbox and production with the recommended rules of Redocly and Spectral.
 * Prints JSON. Exits with 1 when they report anything, even a warning. Downloads both tools; they are not in package.json.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openApiDocument } from '../src/openapi/document.ts'

const REDOCLY = ['@redocly/cli@2.30.3', 'redocly', 'lint', '--extends', 'recommended', '--format', 'json']
const SPECTRAL = [
  '@stoplight/spectral-cli@6.15.0',
  'spectral',
  'lint',
  '--ruleset',
  'spectral.json',
  '--format',
  'json',
  '--quiet',
]
const OFFLINE = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

const folder = mkdtempSync(join(tmpdir(), 'openapi-'))
try {
  const documents = ['sandbox', 'production'].map((environment) => {
    const document = openApiDocument({ sandbox: environment === 'sandbox' })
    writeFileSync(join(folder, `${environment}.json`), JSON.stringify(document))
    return `${environment}.json`
  })
  writeFileSync(join(folder, 'spectral.json'), JSON.stringify({ extends: ['spectral:oas'] }))
  const redocly = documents.flatMap((document) => (run(REDOCLY, [document]) as { problems: object[] }).problems)
  const spectral = run(SPECTRAL, documents) as object[]
  process.stdout.write(`${JSON.stringify({ redocly: redocly.length, spectral: spectral.length })}\n`)
  for (const problem of [...redocly, ...spectral]) process.stdout.write(`${JSON.stringify(problem)}\n`)
  process.exitCode = redocly.length + spectral.length === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true })
}

/** The JSON output of a tool. Exit code 1 means that the tool has found errors, not that it has failed. */
function run([source = '', ...command]: readonly string[], documents: readonly string[]): unknown {
  const args = ['exec', '--yes', '--silent', `--package=${source}`, '--', ...command, ...documents]
  const { stdout, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8', env: { ...process.env, ...OFFLINE } })
  try {
    return JSON.parse(stdout)
  } catch (cause) {
    throw new Error(`${source} printed no JSON: ${stdout}${stderr}`, { cause })
  }
}
