import { defineConfig } from 'tsdown'

/** Builds what `pnpm pack` puts into the tarball: ESM and CommonJS, each with its types. */
export default defineConfig({
  entry: {
    index: 'src/index.ts',
    express: 'src/receiver/express.ts',
    fastify: 'src/receiver/fastify.ts',
    fetch: 'src/receiver/fetch.ts',
  },
  format: ['esm', 'cjs'],
  platform: 'neutral',
  target: 'node22',
  fixedExtension: true,
  dts: true,
})
