// This file must run on any Node that supports modules: on an old one it prints a sentence instead
// of failing on newer syntax.

/** Explains why this Node is too old and sets the exit code; returns true if it is new enough. */
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
