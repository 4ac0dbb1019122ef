import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import { bundledPackages } from './bundled-packages.ts'
import { runQuietly } from './child.mjs'
import { Problem } from './problem.mjs'
import { npmCommand, root } from './runtime.mjs'
import { sandboxTypes } from './sandbox-types.mjs'

const template = join(root, 'build', 'sandbox-package')
const schema = 'docs/schemas/scenario.schema.json'
const dependencies = ['@ton/core', '@ton/crypto', '@ton/sandbox']

/** Builds the package from src-main/sandbox. @returns the path of its archive */
export async function packSandbox(packages = join(root, 'out', 'packages')) {
  const folder = join(packages, 'tondesk-sandbox')
  rmSync(folder, { recursive: true, force: true })
  await bundle(join(folder, 'dist'))
  writeFileSync(join(folder, 'dist', 'index.d.ts'), sandboxTypes())
  cpSync(join(template, 'lab.d.mts'), join(folder, 'dist', 'lab.d.ts'))
  const scenarios = join(root, 'src-main', 'sandbox', 'lab', 'scenarios')
  cpSync(scenarios, join(folder, 'dist', 'scenarios'), { recursive: true })
  cpSync(join(root, schema), join(folder, 'dist', 'scenario.schema.json'))
  const manifest = manifestOf()
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  cpSync(join(template, 'README.md'), join(folder, 'README.md'))
  mkdirSync(packages, { recursive: true })
  const { command, args, options } = npmCommand(['pack', '--pack-destination', packages])
  const packed = await runQuietly(command, args, { cwd: folder, ...options })
  if (packed.exitCode !== 0) throw new Problem(`npm pack failed:\n${packed.output}`, 'Read why.')
  return join(packages, `${manifest.name}-${manifest.version}.tgz`)
}

async function bundle(outDir) {
  const licences = bundledPackages(root, [])
  await build({
    configFile: false,
    logLevel: 'warn',
    root,
    plugins: [polyfill(), licences.collect(), licences.write()],
    ssr: { noExternal: true, external: dependencies },
    build: {
      ssr: true,
      outDir,
      emptyOutDir: true,
      target: 'node22',
      minify: true,
      rolldownOptions: {
        input: {
          index: join(root, 'src-main/sandbox/start-sandbox.ts'),
          lab: join(root, 'src-main/sandbox/lab/run-lab.ts'),
          'tondesk-sandbox': join(root, 'src-main/threads/sandbox-process.ts'),
        },
        external: dependencies.map((name) => new RegExp(`^${name}(/|$)`)),
        output: {
          format: 'es',
          entryFileNames: '[name].js',
          chunkFileNames: '[name]-[hash].js',
          banner: ({ name, isEntry }) =>
            isEntry && name === 'tondesk-sandbox' ? '#!/usr/bin/env node' : '',
        },
      },
    },
  })
  for (const file of ['changelog.txt', 'sbom.cdx.json']) rmSync(join(outDir, 'about', file))
}

function polyfill() {
  const file = join(template, 'polyfill.mjs')
  return {
    name: 'polyfill',
    transform: (code, id) =>
      id.endsWith('/threads/sandbox-process.ts')
        ? `import ${JSON.stringify(file)}\n${code}`
        : undefined,
  }
}

function manifestOf() {
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return {
    name: 'tondesk-sandbox',
    version: own.version,
    description:
      'A TON gateway for tests: query API, webhooks and invoices over a real TVM, offline',
    license: own.license,
    type: 'module',
    bin: { 'tondesk-sandbox': './dist/tondesk-sandbox.js' },
    exports: {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './lab': { types: './dist/lab.d.ts', default: './dist/lab.js' },
      './scenario.schema.json': './dist/scenario.schema.json',
      './package.json': './package.json',
    },
    types: './dist/index.d.ts',
    files: ['dist'],
    engines: { node: '>=22.13' },
    dependencies: Object.fromEntries(dependencies.map((name) => [name, own.devDependencies[name]])),
  }
}
