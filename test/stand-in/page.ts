/** Drives the Chromium page of a window: its requests, its preload in an isolated world, its messages. */
import { readFileSync } from 'node:fs'
import type { CDPSession, Download } from '@playwright/test'
import { isAppAddress, toApp, toChromium } from './app-address.ts'
import type { Browser } from './browser.ts'
import { serveRequest } from './protocol.ts'
import { recordedActions, reportToTest } from './report.ts'

export type FrameAddress = {
  readonly url: string
  readonly origin: string
  readonly isTop: boolean
}

export type PageListener = {
  /** Called before the page itself navigates a frame to another address; returns false to prevent it. */
  mayNavigate(kind: 'navigate' | 'redirect', url: string, frame: FrameAddress): boolean
  message(channel: string, args: unknown[], from: FrameAddress): Promise<unknown>
  windowOpened(details: { url: string; frameName: string; features: string }): void
  downloaded(download: Download): void
  loaded(): void
  failed(code: number, description: string, url: string): void
  crashed(): void
  closed(): void
}

export type WindowPage = {
  load(url: string): Promise<void>
  reload(): Promise<void>
  send(channel: string, args: unknown[]): void
  setSize(size: { width: number; height: number }): void
  setColorScheme(scheme: 'light' | 'dark'): void
  crash(): void
  close(): Promise<void>
  url(): string
  title(): Promise<string>
  readClipboard(): Promise<string>
  /** Chromium's own id of the page. */
  readonly targetId: string
}

const world = 'stand-in-preload'
const script = (name: string) =>
  readFileSync(new URL(`./in-page/${name}.js`, import.meta.url), 'utf8')

/** Each script has its own scope, so that it defines only what it should. */
const scoped = (...parts: string[]) => `(() => {\n${parts.join('\n')}\n})()`

export async function openPage(
  browser: Browser,
  preload: string | undefined,
  listener: PageListener,
): Promise<WindowPage> {
  const page = await browser.context.newPage()
  const session = await browser.context.newCDPSession(page)
  const contexts = new Map<number, { frameId: string; origin: string; isPreload: boolean }>()
  let preloadContext: number | undefined
  let mainFrame = ''
  /** The address that the app itself is loading, which does not count as a navigation by the page. */
  let loading: string | undefined

  // A command to a page that is closing gets no response, which is no error.
  const quietly = (work: Promise<unknown>) => void work.catch(() => undefined)

  session.on('Runtime.executionContextCreated', ({ context }) => {
    const { id, name, origin, auxData } = context
    const frameId = String((auxData as { frameId?: unknown } | undefined)?.frameId)
    contexts.set(id, { frameId, origin: toApp(origin), isPreload: name === world })
    if (name === world && frameId === mainFrame) preloadContext = id
  })
  session.on('Runtime.executionContextDestroyed', ({ executionContextId }) => {
    contexts.delete(executionContextId)
    if (preloadContext === executionContextId) preloadContext = undefined
  })
  session.on('Runtime.bindingCalled', ({ payload, executionContextId }) => {
    const from = contexts.get(executionContextId)
    if (!from?.isPreload) return
    const { id, channel, args } = JSON.parse(payload) as {
      id: number
      channel: string
      args: { value?: unknown }[]
    }
    const frame = { url: toApp(page.url()), origin: from.origin, isTop: from.frameId === mainFrame }
    listener
      .message(
        channel,
        args.map(({ value }) => value),
        frame,
      )
      .then(
        (value) => ({ ok: true, value: structuredClone(value) }),
        (error: unknown) => ({
          ok: false,
          // Electron passes only this part of an error to the page.
          message: `Error invoking remote method '${channel}': ${String(error)}`,
        }),
      )
      .then((answer) =>
        session.send('Runtime.evaluate', {
          contextId: executionContextId,
          expression: `standInSettle(${id}, ${JSON.stringify(answer)})`,
        }),
      )
      .catch(() => undefined)
  })
  session.on('Page.windowOpen', ({ url, windowName, windowFeatures }) =>
    listener.windowOpened({
      url: toApp(url),
      frameName: windowName,
      features: windowFeatures.join(','),
    }),
  )
  session.on('Page.frameRequestedNavigation', ({ url, frameId, disposition }) => {
    // Requests to http and https are stopped; other schemes send no request.
    if (disposition !== 'currentTab' || /^(https?|about|data|blob|javascript):/.test(url)) return
    listener.mayNavigate('navigate', url, addressOf(frameId))
  })
  session.on('Fetch.requestPaused', (paused) => quietly(serve(session, paused)))
  page.on('console', (message) => {
    if (message.type() === 'error') reportToTest({ event: 'problem', text: message.text() })
  })
  page.on('pageerror', (error) => reportToTest({ event: 'problem', text: String(error) }))
  page.on('download', (download) => listener.downloaded(download))
  page.on('popup', (popup) => quietly(popup.close()))
  // Playwright gives up a crashed page, but Chromium and Electron can load it again.
  session.on('Inspector.targetCrashed', () => listener.crashed())
  page.on('close', () => listener.closed())

  function addressOf(frameId: string): FrameAddress {
    const frame = [...contexts.values()].find((context) => context.frameId === frameId)
    return {
      url: toApp(page.url()),
      origin: frame?.origin ?? 'null',
      isTop: frameId === mainFrame,
    }
  }

  function isAllowed(paused: PausedRequest): boolean {
    if (paused.resourceType !== 'Document') return true
    const url = toApp(paused.request.url)
    const frame = addressOf(paused.frameId)
    if (paused.redirectedRequestId !== undefined) {
      return listener.mayNavigate('redirect', url, frame)
    }
    if (frame.isTop && loading === url) return true
    return listener.mayNavigate('navigate', url, frame)
  }

  async function serve(cdp: CDPSession, paused: PausedRequest): Promise<void> {
    const { requestId, request } = paused
    if (!isAllowed(paused)) {
      await cdp.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' })
      return
    }
    const { url, method, headers } = request
    const response = isAppAddress(url)
      ? await serveRequest(toApp(url), { method, headers: plainHeaders(headers) })
      : null
    if (!response) {
      recordedActions.strayRequests.push(toApp(url))
      await cdp.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
      return
    }
    const body = Buffer.from(await response.arrayBuffer())
    await cdp.send('Fetch.fulfillRequest', {
      requestId,
      responseCode: response.status,
      responseHeaders: [...response.headers].map(([name, value]) => ({ name, value })),
      body: body.toString('base64'),
    })
  }

  async function go(url: string, work: () => Promise<unknown>): Promise<void> {
    loading = url
    try {
      await work()
      listener.loaded()
    } catch (error) {
      const description = error instanceof Error ? error.message : String(error)
      listener.failed(-2, description, url)
      throw error
    } finally {
      loading = undefined
    }
  }

  await session.send('Page.enable')
  mainFrame = (await session.send('Page.getFrameTree')).frameTree.frame.id
  await session.send('Runtime.enable')
  await session.send('Inspector.enable')
  await session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] })
  if (preload !== undefined) {
    const source = readFileSync(preload, 'utf8')
    await session.send('Runtime.addBinding', { name: 'standInPost', executionContextName: world })
    await session.send('Page.addScriptToEvaluateOnNewDocument', {
      source: scoped(script('link'), script('main-world')),
    })
    await session.send('Page.addScriptToEvaluateOnNewDocument', {
      worldName: world,
      source: scoped(
        script('link'),
        `const runPreload = (require, module, exports) => {\n${source}\n}`,
        script('preload-world'),
      ),
    })
  }

  return {
    load: (url) => go(url, () => page.goto(toChromium(url), { waitUntil: 'load' })),
    reload: () =>
      go(toApp(page.url()), async () => {
        const loaded = new Promise((resolve) => session.once('Page.loadEventFired', resolve))
        await session.send('Page.reload')
        await loaded
      }),
    send(channel, args) {
      if (preloadContext === undefined) return
      const expression = `standInReceive(${JSON.stringify(channel)}, ${JSON.stringify(args)})`
      quietly(session.send('Runtime.evaluate', { contextId: preloadContext, expression }))
    },
    setSize: (size) => quietly(page.setViewportSize(size)),
    setColorScheme: (colorScheme) => quietly(page.emulateMedia({ colorScheme })),
    crash: () => quietly(session.send('Page.crash')),
    close: () => page.close(),
    url: () => toApp(page.url()),
    async title() {
      const { result } = await session.send('Runtime.evaluate', { expression: 'document.title' })
      return String(result.value)
    },
    async readClipboard() {
      // The page gets more permissions than the app grants, which another test checks.
      await browser.context.grantPermissions(['clipboard-read'], {
        origin: new URL(page.url()).origin,
      })
      const { result } = await session.send('Runtime.evaluate', {
        expression: 'navigator.clipboard.readText()',
        awaitPromise: true,
      })
      return String(result.value)
    },
    targetId: mainFrame,
  }
}

type PausedRequest = {
  readonly requestId: string
  readonly resourceType: string
  readonly frameId: string
  readonly redirectedRequestId?: string
  readonly request: { url: string; method: string; headers: Record<string, string> }
}

/** Omits headers that Node's Request would refuse, or that Chromium sends about itself. */
function plainHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => /^[\w-]+$/.test(name)))
}
