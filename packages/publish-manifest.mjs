/**
 * Lifecycle scripts of the packages that merchants install. In the workspace they export their sources. `prepack` puts
 * `publishConfig` over package.json, which pnpm does by itself and npm does not; `postpack` restores it.
 */
import { copyFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

const KEPT = 'package.workspace.json'

if (process.argv[2] === 'prepack') {
  // A pack that was killed has left the workspace's manifest here.
  if (!existsSync(KEPT)) copyFileSync('package.json', KEPT)
  const manifest = JSON.parse(readFileSync(KEPT, 'utf8'))
  const ours = { publishConfig: undefined, scripts: undefined, devDependencies: undefined }
  writeFileSync('package.json', JSON.stringify({ ...manifest, ...manifest.publishConfig, ...ours }, null, 2))
} else renameSync(KEPT, 'package.json')
