/**
 * The section of CHANGELOG.md for a version; for a version without a section, the unreleased one.
 * Null if neither exists.
 */
module.exports = function notesOf(changelog, version) {
  const section =
    sectionOf(changelog, version) ??
    sectionsOf(changelog).find((each) => /^\[?unreleased/i.test(each))
  return section === undefined ? null : `## ${section.trim()}`
}

const sectionsOf = (changelog) => changelog.split(/^## /m).slice(1)

function sectionOf(changelog, version) {
  return sectionsOf(changelog).find((each) => /^\[?v?([\w.-]+)/.exec(each)?.[1] === version)
}

/** Why a tag cannot be released, with what to do; null if it can. */
module.exports.releaseProblem = function releaseProblem(tag, version, changelog) {
  if (tag !== `v${version}`) {
    return `The tag is "${tag}", but package.json has the version ${version}. The tag must be v${version}.`
  }
  const section = sectionOf(changelog, version)
  if (section === undefined) {
    return `CHANGELOG.md has no section for ${version}. Rename "Unreleased", and add a new one above it.`
  }
  if (!/^\[?[\w.-]+\]? - \d{4}-\d{2}-\d{2}$/m.test(section.split('\n')[0])) {
    return `The section for ${version} in CHANGELOG.md needs a date: "## [${version}] - 2026-01-31".`
  }
  return null
}
