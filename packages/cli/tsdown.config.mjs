import { defineConfig } from 'tsdown'

/** Builds what `pnpm pack` puts into the tarball: one file with everything in it, so that installing it brings nothing else. */
export default defineConfig({
  entry: { pgw: 'src/main.ts' },
  format: 'esm',
  platform: 'node',
  target: 'node22',
  fixedExtension: true,
  deps: { alwaysBundle: [/./u], onlyBundle: false },
})
