/** Counts the places of the window: docs/decisions/0028-the-window.md defines a place. */
import { expect, test, vi } from 'vitest'
import { settingsGroups } from '../../../src-renderer/app/app-settings.ts'
import { pages, viewsOf } from '../../../src-renderer/app/frame/pages.ts'
import { listEntries } from '../../../src-renderer/app/frame/palette-entries.ts'
import { parseRoute, routeHref, sandboxTabs } from '../../../src-renderer/app/route.ts'
import { webhookTabs } from '../../../src-renderer/app/webhooks-route.ts'

const views = pages.flatMap((page) => page.views ?? [])
/** The number of tabs inside one object, which have no address: a capture, a transaction, a contract. */
const tabsOfObjects = 6 + 3 + 2

test('the window has at most 50 places', () => {
  const groups = Object.keys(settingsGroups)
  expect(views.length + webhookTabs.length + groups.length + tabsOfObjects).toBeLessThanOrEqual(50)
})

test('every view of a page has an address of its own, which opens it', () => {
  const addresses = views.map(({ route }) => routeHref(route))
  expect(new Set(addresses).size).toBe(views.length)
  expect(addresses.map((each) => routeHref(parseRoute(each)))).toEqual(addresses)
})

test('the palette reaches every view and every section of the settings', () => {
  vi.stubGlobal('window', {})
  const labels = listEntries(null, null).map(({ label }) => label)
  vi.unstubAllGlobals()
  const wanted = [
    ...pages.flatMap(({ name, views: own = [] }) => [
      name,
      ...own.slice(1).map(({ label }) => `${name}: ${label}`),
    ]),
    ...Object.values(settingsGroups).flatMap((group) =>
      Object.values(group).map((title) => `Settings: ${title}`),
    ),
  ]
  expect(wanted.filter((label) => !labels.includes(label))).toEqual([])
})

test('every tab of the sandbox is a view that the palette reaches', () => {
  const tabs = views.flatMap(({ route }) => (route.page === 'sandbox' ? [route.tab] : []))
  expect(tabs).toEqual([...sandboxTabs])
})

test('a task is in the bar of its page only while it is shown', () => {
  const labels = (hash: string) =>
    viewsOf(parseRoute(hash)).views.map(({ label, shows }) => [label, shows])
  expect(labels('#/invoices/setup').at(-1)).toEqual(['Set up', 'all'])
  expect(labels('#/invoices/jobs/4')[0]).toEqual(['Invoices', 'part'])
  expect(labels('#/invoices').map(([label]) => label)).toEqual([
    ...['Invoices', 'Needs attention', 'Payments', 'Reconciliation'],
  ])
})
