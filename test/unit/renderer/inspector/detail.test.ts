import { beforeEach, describe, expect, it } from 'vitest'
import { AppError } from '../../../../src-preload/domain/app-error.ts'
import { createCaptureDetail } from '../../../../src-renderer/features/captures/capture-detail.ts'
import type { Ask } from '../../../../src-renderer/features/captures/capture-rows.ts'
import { rowOf, settle } from './fake-captures.ts'

type Waiting = {
  readonly id: number
  readonly name: string
  readonly input: { reveal?: boolean; form?: string; offset?: number; limit?: number }
  readonly answer: (value: unknown) => void
  readonly fail: (error: Error) => void
}

function setUp() {
  const waiting: Waiting[] = []
  const ask = ((name: string, input: Waiting['input'] & { id: number }) =>
    new Promise<unknown>((answer, fail) => {
      waiting.push({ id: input.id, name, input, answer, fail })
    })) as Ask
  const detail = createCaptureDetail(ask)
  const take = (id: number, name: string): Waiting => {
    const at = waiting.findIndex((each) => each.id === id && each.name === `capture.${name}`)
    const [found] = waiting.splice(at, 1)
    if (at < 0 || found === undefined) throw new Error(`nobody asked ${name} of ${id}`)
    return found
  }
  const answerBoth = async (id: number, over: object = {}) => {
    take(id, 'get').answer(capture(id, over))
    take(id, 'body').answer(body('{}'))
    await settle()
  }
  return { detail, waiting, take, answerBoth, shown: () => detail.use.getState().detail }
}

function capture(id: number, over: object = {}) {
  return { ...rowOf(id), headers: [], via: [], encoding: null, masked: true, ...over }
}

function body(text: string, totalBytes = text.length) {
  return { base64: btoa(text), totalBytes, offset: 0, decodeProblem: null }
}

let t: ReturnType<typeof setUp>
beforeEach(() => void (t = setUp()))

describe('an opened capture', () => {
  it('is never replaced by the late answer for one that was left', async () => {
    void t.detail.open(1)
    void t.detail.open(2)
    await t.answerBoth(2)
    await t.answerBoth(1)
    expect(t.shown()).toMatchObject({ status: 'ready', id: 2 })
  })

  it('does not come back after it was closed', async () => {
    void t.detail.open(1)
    t.detail.close()
    await t.answerBoth(1)
    expect(t.shown().status).toBe('closed')
  })

  it('says that a deleted one is gone, and that another failure is a failure', async () => {
    void t.detail.open(1)
    t.take(1, 'get').fail(new AppError('CAPTURE_NOT_FOUND', 'gone'))
    t.take(1, 'body').fail(new AppError('CAPTURE_NOT_FOUND', 'gone'))
    await settle()
    expect(t.shown()).toEqual({ status: 'gone', id: 1 })
    void t.detail.open(1)
    t.take(1, 'get').fail(new AppError('DISCONNECTED', 'away'))
    t.take(1, 'body').fail(new AppError('DISCONNECTED', 'away'))
    await settle()
    expect(t.shown()).toMatchObject({ status: 'failed', error: { code: 'DISCONNECTED' } })
  })

  it('shows a compressed body decoded, and as received on request', async () => {
    void t.detail.open(1)
    await t.answerBoth(1, { encoding: 'gzip' })
    t.take(1, 'body').answer(body('decoded'))
    await settle()
    expect(t.shown()).toMatchObject({ body: { status: 'ready', body: { form: 'decoded' } } })
    void t.detail.chooseForm('raw')
    t.take(1, 'body').answer(body('raw'))
    await settle()
    expect(t.shown()).toMatchObject({ body: { body: { form: 'raw', totalBytes: 3 } } })
  })
})

describe('secrets', () => {
  it('are asked for only by the act, and are hidden again once the capture is left', async () => {
    void t.detail.open(1)
    expect(t.waiting.some(({ input }) => input.reveal === true)).toBe(false)
    await t.answerBoth(1)
    void t.detail.reveal()
    const asked = t.take(1, 'get')
    expect(asked.input.reveal).toBe(true)
    asked.answer(capture(1))
    await settle()
    expect(t.shown()).toMatchObject({ revealed: true })

    void t.detail.open(2)
    await t.answerBoth(2)
    void t.detail.open(1)
    expect(t.waiting.some(({ input }) => input.reveal === true)).toBe(false)
    await t.answerBoth(1)
    expect(t.shown()).toMatchObject({ id: 1, revealed: false })
  })

  it('revealed too late do not land on another capture', async () => {
    void t.detail.open(1)
    await t.answerBoth(1)
    void t.detail.reveal()
    const late = t.take(1, 'get')
    void t.detail.open(2)
    await t.answerBoth(2)
    late.answer(capture(1))
    await settle()
    expect(t.shown()).toMatchObject({ id: 2, revealed: false })
  })
})

describe('a body in parts', () => {
  it('goes on where it was, byte by byte, and is fetched whole for saving', async () => {
    void t.detail.open(1)
    t.take(1, 'get').answer(capture(1))
    t.take(1, 'body').answer(body('abc', 5))
    await settle()
    void t.detail.loadMore()
    void t.detail.loadMore()
    const more = t.take(1, 'body')
    expect(more.input.offset).toBe(3)
    expect(t.waiting).toHaveLength(0)
    more.answer(body('de', 5))
    await settle()
    const open = t.shown()
    if (open.status !== 'ready' || open.body.status !== 'ready') throw new Error('not ready')
    expect(new TextDecoder().decode(open.body.body.bytes)).toBe('abcde')

    const whole = t.detail.fetchWhole(1, 'raw')
    t.take(1, 'body').answer(body('abc', 5))
    await settle()
    t.take(1, 'body').answer(body('de', 5))
    expect((await whole).map((part) => new TextDecoder().decode(part))).toEqual(['abc', 'de'])
  })
})
