/** Tests `components/query` with the product's own parser behind the bridge. */
import type { Page } from '@playwright/test'
import { completeQuery } from '../../src-main/captures/query/completion.ts'
import { splitQuery } from '../../src-main/captures/query/split-query.ts'
import { readQuery } from '../../src-main/captures/query/read-query.ts'
import { noNames } from '../../src-main/captures/query/values/text.ts'
import type { QueryReading } from '../../src-preload/contract/capture-query.ts'
import { type Scene, expect, test } from './fixture.ts'

const noChoices = {
  values: () => [],
  headers: () => [],
  labels: () => [],
  networks: () => [],
  operations: () => [],
  webhooks: () => [],
}

/** Responds like `captureQuery.read`, without an index. */
function readText({ text, cursor }: { text: string; cursor?: number }): QueryReading {
  const parts = splitQuery(text).parts.map(({ from, to, negated, field, valueFrom }) => ({
    from,
    to,
    negated,
    field,
    kind: field === null ? ('words' as const) : ('term' as const),
    value: text.slice(valueFrom, to),
    slow: false,
  }))
  const completion =
    cursor === undefined ? { from: 0, to: 0, choices: [] } : completeQuery(text, cursor, noChoices)
  const { problems } = readQuery(text, { now: 0, names: noNames, typing: true })
  return { parts, problems: [...problems], completion }
}

async function showField({ page, scene }: { page: Page; scene: Scene }, query = '') {
  let held: PromiseWithResolvers<void> | undefined
  await page.exposeFunction('answerRequest', async (_name: string, input: { text: string }) => {
    await held?.promise
    return { ok: true, data: readText(input) }
  })
  await scene.show('query-field', { query })
  return {
    field: page.getByRole('combobox', { name: 'Search captures' }),
    underlined: page.locator('[class*=wrong]'),
    option: page.getByRole('option'),
    /** Requests wait from now on. */
    hold: () => void (held = Promise.withResolvers()),
    release: () => held?.resolve(),
  }
}

const parts = (page: Page) => page.getByRole('list', { name: 'Terms of the query' })
const part = (page: Page, name: string) => parts(page).getByRole('button', { name, exact: true })

test('a wrong term is underlined and explained, but not while the user is still typing it', async ({
  page,
  scene,
}) => {
  const { field, underlined, option } = await showField({ page, scene })
  await field.pressSequentially('memo event:acc')
  await expect(option).toHaveText([/^account_tx/])
  await expect(field).toHaveAttribute('aria-invalid', 'false')
  await page.keyboard.press('Escape')
  await expect(underlined).toHaveText('acc')
  await expect(field).toHaveAttribute('aria-invalid', 'true')
  await expect(field).toHaveAccessibleDescription(/^acc One of: account_tx/)
  // The underline moves with its text.
  const textWidth = (await underlined.boundingBox())?.width ?? 0
  const from = async () => (await underlined.boundingBox())?.x ?? 0
  const start = await from()
  await field.fill(`${'memo '.repeat(2)}event:acc`)
  await option.waitFor()
  await page.keyboard.press('Escape')
  await expect(underlined).toHaveText('acc')
  expect(await from()).toBeCloseTo(start + (textWidth / 3) * 5, 0)
  await field.fill('memo')
  await expect(underlined).toHaveCount(0)
  await expect(field).toHaveAttribute('aria-invalid', 'false')
})

test('arrow keys, Tab and Enter complete a term; Escape closes the suggestions before it clears the field', async ({
  page,
  scene,
}) => {
  const { field, option } = await showField({ page, scene })
  await field.pressSequentially('meth')
  await expect(option).toHaveText([/^method:/])
  await page.keyboard.press('Tab')
  await expect(field).toHaveValue('method:')
  await page.keyboard.type('POST sta')
  await expect(option).toHaveText([/^status:/])
  await page.keyboard.press('ArrowDown')
  await expect(option).toHaveAttribute('aria-selected', 'true')
  await expect(field).toHaveAttribute(
    'aria-activedescendant',
    (await option.getAttribute('id')) ?? '',
  )
  await page.keyboard.press('Enter')
  await expect(field).toHaveValue('method:POST status:')
  await page.keyboard.type('200')
  await page.keyboard.press('Enter')
  await expect(scene.report()).toHaveText('searches method:POST status:200')
  await page.keyboard.type(' lt')
  await expect(option.first()).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(option).toHaveCount(0)
  await expect(field).toHaveValue('method:POST status:200 lt')
  await page.keyboard.press('Escape')
  await expect(field).toHaveValue('')
  await page.keyboard.press('ArrowUp')
  await expect(option).toHaveText([/^status:5xx/, /^path:\/orders/])
})

test('a click on a chip right after a change takes effect before the text is parsed again', async ({
  page,
  scene,
}) => {
  const { field, hold, release } = await showField({ page, scene }, 'alpha beta gamma')
  await part(page, 'Exclude gamma').waitFor()
  hold()
  await part(page, 'Remove alpha').click()
  await expect(field).toHaveValue('beta gamma')
  // The chips still show the former text.
  await part(page, 'Exclude gamma').click()
  await expect(field).toHaveValue('beta -gamma')
  await part(page, 'Exclude gamma').click()
  await expect(field).toHaveValue('beta gamma')
  await part(page, 'Exclude gamma').click()
  await expect(field).toHaveValue('beta -gamma')
  await part(page, 'Edit beta').click()
  await expect(field).toBeFocused()
  expect(
    await field.evaluate((input: HTMLInputElement) => [input.selectionStart, input.selectionEnd]),
  ).toEqual([0, 4])
  // A chip does nothing if its term was removed or changed.
  await part(page, 'Remove alpha').click()
  await field.fill('betatron -gamma')
  await part(page, 'Remove beta').click()
  await expect(field).toHaveValue('betatron -gamma')
  release()
  await expect(part(page, 'Exclude betatron')).toBeVisible()
})

test('an error that appears when the field loses the focus does not move a chip away from the pointer', async ({
  page,
  scene,
}) => {
  const { field, option } = await showField({ page, scene })
  await field.pressSequentially('alpha event:acc')
  await option.waitFor()
  const before = await part(page, 'Exclude alpha').boundingBox()
  await part(page, 'Exclude alpha').hover()
  await page.mouse.down()
  await expect(field).toBeFocused()
  expect(await part(page, 'Exclude alpha').boundingBox()).toEqual(before)
  await page.mouse.up()
  await expect(field).toHaveValue('-alpha event:acc')
})

test('Backspace removes the focused chip, and typing continues in the field', async ({
  page,
  scene,
}) => {
  const { field } = await showField({ page, scene }, 'alpha beta gamma')
  await part(page, 'Edit beta').focus()
  await page.keyboard.press('Backspace')
  await expect(field).toHaveValue('alpha gamma')
  await expect(field).toBeFocused()
  await page.keyboard.type('delta ')
  await expect(field).toHaveValue('alpha delta gamma')
})

test('any number of chips leaves the page below the field in place, and the wheel scrolls to the last chip', async ({
  page,
  scene,
}) => {
  const { field } = await showField({ page, scene })
  const below = page.getByTestId('report')
  const place = async () => (await below.boundingBox())?.y
  const empty = await place()
  await field.fill('alpha')
  await part(page, 'Exclude alpha').waitFor()
  expect(await place()).toBe(empty)
  const words = Array.from({ length: 60 }, (_, index) => `word${index}`)
  await field.fill(words.join(' '))
  const last = part(page, 'Exclude word59')
  await last.waitFor()
  expect(await place()).toBe(empty)
  await expect(last).not.toBeInViewport()
  await parts(page).hover()
  await page.mouse.wheel(0, 100_000)
  await expect(last).toBeInViewport()
})
