/**
 * `npm pack` ignores the fields of `publishConfig`, which pnpm would put over the others. In the workspace a package exports its
 * sources; before it is packed, this script applies `publishConfig`, and takes it back afterwards. Runs in the package's folder.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

const MANIFEST = 'package.json'
const ORIGINAL = '.package.json.original'

const [step] = process.argv.slice(2)
if (step === 'apply') apply()
else if (step === 'restore') restore()
else throw new Error('usage: published-manifest.mjs apply|restore')

function apply() {
  // A pack that was killed has left the original behind.
  restore()
  const text = readFileSync(MANIFEST, 'utf8')
  const { publishConfig, scripts, ...manifest } = JSON.parse(text)
  delete manifest.devDependencies
  writeFileSync(ORIGINAL, text)
  // `postpack` still has to run.
  writeFileSync(
    MANIFEST,
    `${JSON.stringify({ ...manifest, ...publishConfig, scripts: { postpack: scripts.postpack } }, null, 2)}\n`,
  )
}

function restore() {
  if (existsSync(ORIGINAL)) renameSync(ORIGINAL, MANIFEST)
}
