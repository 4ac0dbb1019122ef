import { QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AppError, type Envelope } from '../../../../src-preload/domain/app-error.ts'
import { connect, queries } from '../../../../src-renderer/app/bridge.ts'
import {
  type OpenCapture,
  captureQuery,
  chooseForm,
  fetchWholeBody,
  loadMore,
  showSecrets,
  showCapture,
  useOpen,
} from '../../../../src-renderer/features/captures/capture-detail.ts'
import { rowOf, processResponses } from './fake-captures.ts'

type Waiting = {
  readonly id: number
  readonly name: string
  readonly input: { reveal?: boolean; form?: string; offset?: number; limit?: number }
  readonly answer: (value: unknown) => void
  readonly fail: (error: AppError) => void
}

/** Observes the open capture as the page does. */
function setUp() {
  const waiting: Waiting[] = []
  const request = (name: string, input: unknown) =>
    new Promise<unknown>((resolve) => {
      const { id } = input as { id: number }
      waiting.push({
        id,
        name,
        input: input as Waiting['input'],
        answer: (data) => resolve({ ok: true, data }),
        fail: (error) => resolve({ ok: false, error: error.toBody() }),
      })
    }) as Promise<Envelope<unknown>>
  connect({
    request,
    on: () => () => undefined,
    start: (onStatus) => onStatus('open'),
    retry: () => undefined,
  })
  let observer: QueryObserver<OpenCapture, AppError> | null = null
  const stop = useOpen.subscribe(({ open }) => {
    if (open === null) {
      observer?.destroy()
      observer = null
    } else if (observer === null) {
      observer = new QueryObserver<OpenCapture, AppError>(queries, captureQuery(open))
      observer.subscribe(() => undefined)
    } else observer.setOptions(captureQuery(open))
  })
  const take = (id: number, name: string): Waiting => {
    const at = waiting.findIndex((each) => each.id === id && each.name === `capture.${name}`)
    const [found] = waiting.splice(at, 1)
    if (at < 0 || found === undefined) throw new Error(`${name} of ${id} was not requested`)
    return found
  }
  const answerBoth = async (id: number, over: object = {}) => {
    take(id, 'get').answer(capture(id, over))
    take(id, 'body').answer(body('{}'))
    await processResponses()
  }
  /** Returns the displayed capture, which is the previous one while a capture is loading. */
  const shown = () => observer?.getCurrentResult()
  return { waiting, take, answerBoth, shown, stop }
}

function capture(id: number, over: object = {}) {
  return { ...rowOf(id), headers: [], via: [], encoding: null, masked: true, ...over }
}

function body(text: string, totalBytes = text.length) {
  return { base64: btoa(text), totalBytes, offset: 0, decodeProblem: null }
}

let t: ReturnType<typeof setUp>
beforeEach(() => void (t = setUp()))
afterEach(() => {
  showCapture(null)
  t.stop()
  queries.clear()
})

describe('the open capture', () => {
  it('the open capture is not replaced by a late response for a capture that was left', async () => {
    showCapture(1)
    showCapture(2)
    await t.answerBoth(2)
    await t.answerBoth(1)
    expect(t.shown()).toMatchObject({ data: { id: 2 }, isPlaceholderData: false })
  })

  it('the open capture stays visible until the next capture and its body are loaded', async () => {
    showCapture(1)
    await t.answerBoth(1)
    showCapture(2)
    t.take(2, 'get').answer(capture(2))
    await processResponses()
    expect(t.shown()).toMatchObject({ data: { id: 1 }, isPlaceholderData: true })
    t.take(2, 'body').answer(body('{}'))
    await processResponses()
    expect(t.shown()).toMatchObject({ data: { id: 2 }, isPlaceholderData: false })
  })

  it('a closed capture does not return with a late response', async () => {
    showCapture(1)
    showCapture(null)
    await t.answerBoth(1)
    expect(t.shown()).toBeUndefined()
  })

  it('a deleted capture is shown as not found, and another failure as that failure', async () => {
    showCapture(1)
    t.take(1, 'get').fail(new AppError('CAPTURE_NOT_FOUND', 'gone'))
    t.take(1, 'body').fail(new AppError('CAPTURE_NOT_FOUND', 'gone'))
    await processResponses()
    expect(t.shown()).toMatchObject({ data: undefined, error: { code: 'CAPTURE_NOT_FOUND' } })
    void t.shown()?.refetch()
    t.take(1, 'get').fail(new AppError('DISCONNECTED', 'away'))
    t.take(1, 'body').fail(new AppError('DISCONNECTED', 'away'))
    await processResponses()
    expect(t.shown()).toMatchObject({ data: undefined, error: { code: 'DISCONNECTED' } })
  })

  it('a compressed body is shown decoded, and as received on request', async () => {
    showCapture(1)
    await t.answerBoth(1, { encoding: 'gzip' })
    t.take(1, 'body').answer(body('decoded'))
    await processResponses()
    expect(t.shown()).toMatchObject({ data: { body: { form: 'decoded' } } })
    chooseForm('raw')
    t.take(1, 'get').answer(capture(1, { encoding: 'gzip' }))
    await processResponses()
    t.take(1, 'body').answer(body('raw'))
    await processResponses()
    expect(t.shown()).toMatchObject({ data: { body: { form: 'raw', totalBytes: 3 } } })
  })

  it('a changed capture is loaded again without its body', async () => {
    showCapture(1)
    await t.answerBoth(1)
    void t.shown()?.refetch()
    t.take(1, 'get').answer(capture(1, { pinned: true }))
    await processResponses()
    expect(t.waiting).toHaveLength(0)
    expect(t.shown()).toMatchObject({
      data: { capture: { pinned: true }, body: { totalBytes: 2 } },
    })
  })
})

describe('the secrets of a capture', () => {
  it('secrets are requested only by the reveal action, and are hidden again after the capture was left', async () => {
    showCapture(1)
    expect(t.waiting.some(({ input }) => input.reveal === true)).toBe(false)
    await t.answerBoth(1)
    void showSecrets()
    const asked = t.take(1, 'get')
    expect(asked.input.reveal).toBe(true)
    asked.answer(capture(1))
    await processResponses()
    expect(t.shown()).toMatchObject({ data: { revealed: true } })

    showCapture(2)
    await t.answerBoth(2)
    showCapture(1)
    expect(t.waiting.some(({ input }) => input.reveal === true)).toBe(false)
    await processResponses()
    expect(t.shown()).toMatchObject({ data: { id: 1, revealed: false } })
  })

  it('secrets that are revealed late do not appear on another capture', async () => {
    showCapture(1)
    await t.answerBoth(1)
    void showSecrets()
    const late = t.take(1, 'get')
    showCapture(2)
    await t.answerBoth(2)
    late.answer(capture(1))
    await processResponses()
    expect(t.shown()).toMatchObject({ data: { id: 2, revealed: false } })
  })
})

describe('a body in parts', () => {
  it('a body continues loading at its next byte, and is fetched completely for saving', async () => {
    showCapture(1)
    t.take(1, 'get').answer(capture(1))
    t.take(1, 'body').answer(body('abc', 5))
    await processResponses()
    void loadMore()
    void loadMore()
    const more = t.take(1, 'body')
    expect(more.input.offset).toBe(3)
    expect(t.waiting).toHaveLength(0)
    more.answer(body('de', 5))
    await processResponses()
    const loaded = t.shown()?.data?.body
    if (loaded === undefined || loaded instanceof AppError) throw new Error('not ready')
    expect(new TextDecoder().decode(loaded.bytes)).toBe('abcde')

    const whole = fetchWholeBody(1, 'raw')
    t.take(1, 'body').answer(body('abc', 5))
    await processResponses()
    t.take(1, 'body').answer(body('de', 5))
    expect((await whole).map((part) => new TextDecoder().decode(part))).toEqual(['abc', 'de'])
  })
})
