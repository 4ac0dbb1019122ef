import { demandNode } from './lib/demand-node.mjs'

// `npm run build`: builds out/ whether or not it is stale.
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
