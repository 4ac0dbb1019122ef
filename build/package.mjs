import { demandNode } from './lib/demand-node.mjs'

// `npm run package`: builds the installers for this computer's platform in dist/. `npm run package
// -- --check`: builds everything except Electron's binary and inspects the packed files.
if (demandNode()) {
  Promise.all([
    import('./lib/child.mjs'),
    import('./lib/install.mjs'),
    import('./lib/output.mjs'),
    import('./lib/problem.mjs'),
    import('./lib/runtime.mjs'),
  ]).then(([{ run }, { ensureInstalled }, { ensureBuilt }, { guarded }, runtime]) =>
    guarded(async () => {
      const { nodeBinary, root, toolEnvironment } = runtime
      const args = process.argv.slice(2)
      await ensureInstalled()
      await ensureBuilt()
      const script = args.includes('--check')
        ? [`${root}/build/check-package.mjs`, ...args.filter((arg) => arg !== '--check')]
        : [
            `${root}/node_modules/electron-builder/cli.js`,
            '--config',
            'build/electron-builder.config.cjs',
            '--publish=never',
            ...args,
          ]
      const { exitCode } = await run(nodeBinary(), script, { cwd: root, env: toolEnvironment() })
      return exitCode
    }),
  )
}
