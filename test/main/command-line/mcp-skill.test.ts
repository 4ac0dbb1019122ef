/** Runs the code blocks of the skill file in their order, and nothing else. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../../fixtures/app.ts'
import { type McpCall, connectMcp, mcpProgram } from '../../fixtures/mcp.ts'
import { openScriptedServer, type ScriptedServer } from '../../fixtures/scripted-server.ts'

const skill = readFileSync('docs/skill/SKILL.md', 'utf8')
const blocks = [...skill.matchAll(/^```js\n([^]*?)^```$/gm)].map(([, code = '']) => code)

let app: TestApp
let handler: ScriptedServer

beforeAll(async () => {
  app = await startApp({ worksOn: true })
  handler = await openScriptedServer()
})

afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await handler[Symbol.asyncDispose]()
})

test('the blocks of the skill lead from a handler that responded 500 to the cause and to a replay that the handler accepts', async () => {
  // The handler fails until its developer has read why.
  let isFixed = false
  handler.answer = (_request, response) =>
    isFixed
      ? response.writeHead(200).end('credited')
      : response.writeHead(500).end('unknown order 7')
  await app.request('forwardRule.save', { targets: [`${handler.origin}/hook`] })
  await app.post(
    '{"event_type":"account_tx","account_id":"0:ab","lt":9007199254740993,"tx_hash":"00"}',
  )
  await app.until(() => handler.seen.length > 0, 'the attempt')
  await app.until(async () => {
    const { deliveries } = await app.request('forward.list', {})
    return deliveries.some(({ attempts }) => attempts > 0)
  }, 'the result of the attempt')

  await using mcp = await connectMcp(app.directory, ['--allow-write'])
  const call: McpCall = (name, given) => {
    if (name === 'replay_write') isFixed = true
    return mcp.call(name, given)
  }
  const code = `return (async () => { ${blocks.join('\n')}\n return { cause, body, accepted } })()`
  // oxlint-disable-next-line typescript/no-implied-eval -- the test runs what the page shows
  const run = new Function('call', code) as (call: McpCall) => Promise<Record<string, unknown>>
  const found = await run(call)
  expect(found).toMatchObject({
    cause: { status: 500, body: 'unknown order 7' },
    body: { items: [expect.stringContaining('9007199254740993')] },
    accepted: true,
  })
  expect(blocks).toHaveLength(4)
})

test('tondesk mcp --skill prints the skill file', () => {
  const printed = execFileSync(process.execPath, [mcpProgram, 'mcp', '--skill'], {
    encoding: 'utf8',
  })
  expect(printed).toBe(skill)
})
