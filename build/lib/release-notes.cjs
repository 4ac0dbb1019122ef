/** What CHANGELOG.md says of a version; of one that has no section yet, what is unreleased. Null for neither. */
module.exports = function notesOf(changelog, version) {
  const sections = changelog.split(/^## /m).slice(1)
  const section =
    sections.find((each) => /^\[?v?([\w.-]+)/.exec(each)?.[1] === version) ??
    sections.find((each) => /^\[?unreleased/i.test(each))
  return section === undefined ? null : `## ${section.trim()}`
}
