/**
 * `npm run check:openapi -- FILE…`: checks every response of the sandbox, and every request and
 * schema of the query client, against OpenAPI documents of the public service (`api/openapi.yml`,
 * `api/rt.yml` of tonkeeper/opentonapi; not part of this repository).
 */
import { createSandbox } from '../../src-main/sandbox/sandbox.ts'
import { checkClient } from './client.ts'
import { type Operation, readDocument } from './document.ts'
import { type ApiExchange, requestEveryRoute } from './walk.ts'

const files = process.argv.slice(2)
if (files.length === 0) {
  process.stderr.write('Name the OpenAPI documents: npm run check:openapi -- openapi.yml rt.yml\n')
  process.exit(2)
}
const documents = files.map(readDocument)

/** The service’s framework rejects malformed requests in its own format, which no document describes. */
const frameworkError = /^\{"Error":"[^]*"\}$/

const seen = new Map<Operation, { answers: number; statuses: Set<number>; problems: Set<string> }>()
const unknown = new Set<string>()

function judge({ method, path, status, contentType, text }: ApiExchange): void {
  for (const document of documents) {
    const operation = document.find(method, path)
    if (operation === null) continue
    const entry = seen.get(operation) ?? { answers: 0, statuses: new Set(), problems: new Set() }
    seen.set(operation, entry)
    entry.answers += 1
    entry.statuses.add(status)
    if (status >= 400 && frameworkError.test(text)) return
    for (const problem of document.problems(operation, status, contentType, text)) {
      entry.problems.add(`${status} ${problem}`)
    }
    return
  }
  unknown.add(`${method} ${path}`)
}

/** Operations on objects that the sandbox does not have, so that they return only 404. */
const absent = new Set([
  ...['dnsResolve', 'getNftItemByAddress', 'getNftCollection', 'getItemsFromCollection'],
  ...['blockchainAccountInspect', 'getLibraryByHash'],
])

/** True if the sandbox supports this operation. */
async function isServed({ method, template }: Operation, urls: readonly string[]) {
  const path = template.replaceAll(/\{[^}]*\}/g, '1')
  const answers = urls.map(async (url) => {
    const response = await fetch(url + path, { method })
    return { status: response.status, text: await response.text() }
  })
  return (await Promise.all(answers)).some(
    ({ status, text }) =>
      ![405, 501].includes(status) && !(status === 404 && text.includes('no such path')),
  )
}

const notWalked: Operation[] = []
const notServed: Operation[] = []
const sandbox = await createSandbox({
  ephemeral: true,
  port: 0,
  seed: 'openapi',
  clock: 'virtual',
  now: Date.UTC(2026, 0, 1),
})
try {
  await requestEveryRoute(sandbox.ready, judge)
  const { queryUrl, webhooksUrl } = sandbox.ready
  for (const operation of documents.flatMap(({ operations }) => operations)) {
    if (seen.has(operation)) continue
    const isMissed = await isServed(operation, [queryUrl, webhooksUrl])
    ;(isMissed ? notWalked : notServed).push(operation)
  }
} finally {
  await sandbox.dispose()
}

let wrong = 0
let refused = 0
for (const [operation, { answers, statuses, problems }] of seen) {
  // An operation must succeed at least once; otherwise the check proves nothing about it.
  if (![...statuses].some((status) => status < 300) && !absent.has(operation.id)) {
    problems.add('never answered with success')
  }
  if (problems.size > 0) wrong += 1
  const isOnlyRefused = [...statuses].every((status) => status >= 300)
  if (problems.size === 0 && isOnlyRefused) refused += 1
  const verdict =
    problems.size > 0 ? 'FAIL        ' : isOnlyRefused ? 'only refused' : 'ok          '
  const line = `${verdict} ${operation.method.padEnd(6)} ${operation.template}  (${answers}: ${[...statuses].join(' ')})`
  process.stdout.write(`${line}\n`)
  for (const problem of [...problems].slice(0, 12)) process.stdout.write(`       ${problem}\n`)
}
for (const each of unknown) process.stdout.write(`not in the documents: ${each}\n`)
const list = (operations: readonly Operation[]) =>
  operations.map(({ method, template }) => `       ${method.padEnd(6)} ${template}\n`).join('')
process.stdout.write(`not served by the sandbox: ${notServed.length}\n${list(notServed)}`)
process.stdout.write(`served, but not walked: ${notWalked.length}\n${list(notWalked)}`)
process.stdout.write(
  `sandbox: ${seen.size - wrong - refused} operations as documented, ${refused} only refused, ${wrong} not as documented\n`,
)

const client = await checkClient(documents)
let wrongInClient = 0
for (const [name, problems] of client) {
  if (problems.size > 0) wrongInClient += 1
  process.stdout.write(`${problems.size > 0 ? 'FAIL        ' : 'ok          '} client.${name}\n`)
  for (const problem of [...problems].slice(0, 12)) process.stdout.write(`       ${problem}\n`)
}
process.stdout.write(
  `client: ${client.size - wrongInClient} operations as documented, ${wrongInClient} not as documented\n`,
)
process.exitCode = wrong + notWalked.length + wrongInClient === 0 && seen.size > 0 ? 0 : 1
