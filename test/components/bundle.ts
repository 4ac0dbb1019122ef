/** Bundles the scenes with the window's own plugins, for `fixture.ts` to serve. */
import { test } from '@playwright/test'
import react from '@vitejs/plugin-react'
import { build } from 'vite'
import { bundleFolder } from './fixture.ts'

test('the scenes of the component tests are bundled', async () => {
  await build({
    configFile: false,
    logLevel: 'warn',
    plugins: [react()],
    build: {
      outDir: bundleFolder,
      emptyOutDir: true,
      target: 'chrome156',
      minify: false,
      cssCodeSplit: false,
      reportCompressedSize: false,
      modulePreload: false,
      rolldownOptions: {
        input: 'test/components/scenes/main.tsx',
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: '[name].js',
          assetFileNames: '[name][extname]',
        },
      },
    },
  })
})
