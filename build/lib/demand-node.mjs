// Written for any Node that reads modules: it has to say its sentence, not fail on newer syntax.

/** Says why this Node is too old and sets the exit code; true when it is new enough. */
export function demandNode() {
  var major = Number(process.versions.node.split('.')[0])
  if (major >= 20) return true
  console.error(
    'Tondesk needs Node 20 or newer, and this is Node ' +
      process.versions.node +
      '.\nInstall a newer one from https://nodejs.org (or `nvm install 24`) and run this again.',
  )
  process.exitCode = 1
  return false
}
