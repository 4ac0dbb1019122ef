import { demandNode } from './lib/demand-node.mjs'

// `npm run build`: builds out/ even if it is up to date.
if (demandNode()) {
  Promise.all([
    import('./lib/install.mjs'),
    import('./lib/output.mjs'),
    import('./lib/problem.mjs'),
  ]).then(([{ ensureInstalled }, { ensureBuilt }, { guarded }]) =>
    guarded(async () => {
      await ensureInstalled()
      await ensureBuilt({ force: true })
      return 0
    }),
  )
}
