import { z } from 'zod'
import toolTexts from './tool-texts.json' with { type: 'json' }
import { type RouteName, routes } from '../../../src-preload/contract/routes.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { usageError } from '../command.ts'
import { type Session, findNetwork } from '../session.ts'
import { type ToolResult, linkTo } from './result.ts'

export type ToolRun = {
  readonly session: Session
  /** Aborted when the client cancels the call. */
  readonly signal: AbortSignal
  /** URLs that the user allowed for replays when starting the server. */
  readonly replayTargets: readonly string[]
}

type Fields = Readonly<Record<string, z.ZodType>>
type Given = Readonly<Record<string, unknown>>

/** A route as an action of a tool. The route gets the tool's input and takes its own fields. */
type RouteAction = {
  readonly route: RouteName
  /** Further fields for the route. */
  readonly input?: (given: Given) => object
  /** The field of the response that is a list; `''` if the response is the list. */
  readonly items?: string
  /** `offset`: the route takes one. Any other name: the field with the route's own cursor. By default all is returned. */
  readonly paging?: string
  /** Paths of the app's pages, with fields in braces, for the result and for each item. */
  readonly link?: string
  readonly itemLink?: string | ((item: Given) => string)
}

type Work = (run: ToolRun, given: Given) => Promise<ToolResult>

export type Tool = {
  readonly name: keyof typeof toolTexts
  readonly fields: Fields
  /** A tool with several actions has the field `action`. */
  readonly actions: Readonly<Record<string, RouteAction | Work>>
  readonly isWrite?: boolean
  /** True for a tool that may request data from a network. */
  readonly isOpen?: boolean
  /** True if the sandbox or the receiver of the running app is needed. */
  readonly needsApp?: boolean
}

export const network = z
  .string()
  .max(60)
  .optional()
  .describe('sandbox, testnet, mainnet or a custom network; default: the one selected in Tondesk')
/** Fields of a tool with lists. */
export const paged = {
  cursor: z.string().max(10_000).optional().describe('nextCursor of the previous result'),
  limit: z.int().min(1).max(50).default(20).describe('maximum number of items'),
}

/** Describes a tool to clients. Its input has the fields of all actions; an unknown field is refused. */
export function describeTool({ name, actions, fields, isWrite = false, isOpen = false }: Tool) {
  const names = Object.keys(actions)
  return {
    ...toolTexts[name],
    inputSchema: z.strictObject({ ...(names.length > 1 && { action: z.enum(names) }), ...fields }),
    annotations: {
      readOnlyHint: !isWrite,
      destructiveHint: isWrite,
      idempotentHint: !isWrite,
      openWorldHint: isOpen,
    },
  }
}

/** @throws AppError */
export async function runTool(tool: Tool, run: ToolRun, input: Given): Promise<ToolResult> {
  const { actions, fields, needsApp = false } = tool
  if (needsApp && run.session.holder === null) {
    const message = 'Tondesk is not running. This tool needs the app: start it, or `tondesk serve`.'
    throw new AppError('APP_NOT_RUNNING', message)
  }
  const wanted = typeof input['network'] === 'string' ? input['network'] : undefined
  const on = fields['network'] === network && (await findNetwork(run.session, wanted))
  const given = { ...input, ...(on && { network: on.id }) }
  const [only = ''] = Object.keys(actions)
  const work = actions[typeof input['action'] === 'string' ? input['action'] : only]
  if (typeof work === 'function') return work(run, given)
  if (work === undefined) throw usageError('Unknown action.')
  return runRoute(run, work, given)
}

async function runRoute(
  { session }: ToolRun,
  { route, input, items, paging, link, itemLink }: RouteAction,
  given: Given,
): Promise<ToolResult> {
  const page = paging === 'offset' ? { offset: readOffset(given) } : {}
  // The route's schema checks the input, so its type need not be known here.
  const hasInput = !(routes[route].input instanceof z.ZodUndefined)
  const wanted = hasInput ? { ...given, ...page, ...input?.(given) } : undefined
  const found: unknown = await session.call(route, wanted)
  const facts = items === '' ? {} : (found as Given)
  const path = link === undefined ? undefined : fill(link, { ...facts, ...given })
  const shown = { ...(path !== undefined && { link: linkTo(path, given['network']) }), ...facts }
  if (items === undefined) return { facts: shown }
  const { [items]: list, ...others } = shown as Given
  const rows = ((items === '' ? found : list) ?? []) as readonly Given[]
  const linked = rows.map((row) => {
    if (itemLink === undefined) return row
    const target =
      typeof itemLink === 'string' ? fill(itemLink, { ...given, ...row }) : itemLink(row)
    return { link: linkTo(target, given['network']), ...row }
  })
  if (paging === undefined) return pageOf(linked, given, others)
  const isFull = rows.length === given['limit']
  const offset = isFull ? readOffset(given) + rows.length : null
  const next = (paging === 'offset' ? offset : facts[paging]) as string | number | null | undefined
  return { facts: others, items: linked, nextCursor: next?.toString() ?? null }
}

function fill(path: string, facts: Given): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(facts[name]))
}

/** A page of a list that is known as a whole. */
export function pageOf(all: readonly unknown[], given: Given, facts: Given = {}): ToolResult {
  const offset = readOffset(given)
  const items = all.slice(offset, offset + Number(given['limit']))
  const end = offset + items.length
  const nextCursor = end < all.length ? String(end) : null
  return { facts: { ...facts, total: all.length }, items, nextCursor }
}

/** @throws AppError USAGE */
function readOffset({ cursor: typed = '0' }: Given): number {
  if (/^\d{1,15}$/.test(String(typed))) return Number(typed)
  throw usageError('The cursor is invalid. Pass nextCursor of the previous result unchanged.')
}

/** The cursor of a route that returns the rows before an id. */
export const beforeCursor = (given: Given) =>
  given['cursor'] === undefined ? {} : { before: readOffset(given) }
