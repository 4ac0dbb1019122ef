/** Drives the search of captures: the query’s field, its completion and chips, and the histogram. */
import type { Page } from '@playwright/test'
import { savedViews } from './views.ts'

const text = {
  missingValue: 'The value is missing.',
  matches: (count: number) => `${count} matches`,
  captures: (count: number) => `${count} captures`,
  captureBar: (captures: number, rejected: number) =>
    new RegExp(`${captures} captures, ${rejected} rejected`),
}

export function queryField(page: Page) {
  const parts = page.getByRole('list', { name: 'Terms of the query' })
  const histogram = page.getByRole('region', { name: 'Captures over time' })
  const lastHour = histogram.getByRole('button', { name: '1 h', exact: true })
  return {
    text,
    field: page.getByRole('combobox', { name: 'Search captures' }),
    suggestions: page.getByRole('option'),
    /** The status of the query: the number of hits, or the error. */
    status: page.getByRole('search'),
    isInvalid: page.getByText('This query is not valid'),
    noMatch: page.getByText(/^No capture matches/),
    editPart: (start: string) => page.getByRole('button', { name: new RegExp(`^Edit ${start}`) }),
    removePart: (part: string) => parts.getByRole('button', { name: `Remove ${part}` }).click(),
    excludePart: (part: string) => parts.getByRole('button', { name: `Exclude ${part}` }).click(),
    onlyThisNetwork: () => page.getByRole('button', { name: / only$/ }).click(),
    views: savedViews(page),
    histogram: {
      region: histogram,
      bars: page.getByRole('slider', { name: /^Select a time/ }),
      lastHour,
      reset: () => histogram.getByRole('button', { name: 'Clear time range' }).click(),
    },
  }
}
