import { demandNode } from './lib/demand-node.mjs'

// `npm run package:sandbox`: the package tondesk-sandbox, in out/packages/.
if (demandNode()) {
  Promise.all([
    import('./lib/install.mjs'),
    import('./lib/problem.mjs'),
    import('./lib/sandbox-package.mjs'),
  ]).then(([{ ensureInstalled }, { guarded }, { packSandbox }]) =>
    guarded(async () => {
      await ensureInstalled()
      console.log(await packSandbox())
      return 0
    }),
  )
}
