// `node build/check-release.mjs v1.2.3`: checks whether a tag can be released, and prints the
// release notes of its version.
import { readFileSync } from 'node:fs'
import process from 'node:process'
import notesOf from './lib/release-notes.cjs'
import { root } from './lib/runtime.mjs'

const [tag = ''] = process.argv.slice(2)
const read = (file) => readFileSync(`${root}/${file}`, 'utf8')
const { version } = JSON.parse(read('package.json'))
const changelog = read('CHANGELOG.md')
const problem = notesOf.releaseProblem(tag, version, changelog)
if (problem === null) console.log(notesOf(changelog, version))
else console.error(problem)
process.exitCode = problem === null ? 0 : 1
