/**
 * Drives the common parts of every page: navigation, header, command palette, confirmations, messages.
 */
import { type Locator, type Page, expect } from '@playwright/test'
import { repeatUntil } from '../../deadlines.ts'

const titles = {
  overview: 'Overview',
  inspector: 'Inspector',
  webhooks: 'Webhooks',
  transactions: 'Explorer',
  accounts: 'Accounts',
  invoices: 'Invoices',
  sandbox: 'Sandbox',
  settings: 'Settings',
}

export type PageName = keyof typeof titles

export async function openPage(page: Page, name: PageName): Promise<void> {
  await frame(page).entry(name).click()
  await frame(page).title(name).waitFor()
}

export function frame(page: Page) {
  const navigation = page.getByRole('navigation', { name: 'Pages' })
  const header = page.getByRole('banner')
  return {
    text: {
      receivingOn: 'Receiving requests at',
      notReceiving: 'Not receiving',
      unread: (count: number) => new RegExp(`${count} unread`),
      anyUnread: /unread/,
    },
    document: page.locator('body'),
    /** Filled dots, such as that of a working receiver. */
    filledDot: header.locator('[class*=dot]:not([class*=hollow])').first(),
    /** Announcements for screen readers that do not move the focus. */
    announcement: page.getByTestId('announcement'),
    pageTitle: page.getByRole('heading', { level: 1, includeHidden: true }),
    loading: page.getByRole('status').filter({ hasText: /^(Loading|Starting)/ }),
    navigation,
    header,
    /** Without the focus on an element, the next key would begin at the top of the window. */
    hasFocus: () => page.evaluate(() => document.activeElement !== document.body),
    notFound: page.getByRole('heading', { level: 1, name: 'Page not found' }),
    /** The page shows its data. */
    settled: async () => {
      await page.getByRole('heading', { level: 1, includeHidden: true }).waitFor()
      await expect(page.getByRole('status').filter({ hasText: /^(Loading|Starting)/ })).toHaveCount(
        0,
      )
    },
    sessionEnded: page.getByRole('heading', { name: /This tab’s session has ended/ }),
    receivingOn: page.getByText(/^Receiving requests at/).first(),
    copyReceiverUrl: () => copy(header, 'receiver URL'),
    copyLink: () => header.getByRole('button', { name: 'Copy link' }).click(),
    message: (name: string) =>
      page.getByRole('dialog', { name }).or(page.getByRole('alertdialog', { name })),
    startReceiver: () => header.getByRole('button', { name: 'Start' }).click(),
    title: (name: PageName) => page.getByRole('heading', { level: 1, name: titles[name] }),
    /** The message that shows the zoom for a moment. */
    zoom: (percent: number) => page.getByText(`Zoom: ${percent} %`),
    /** The link to a page, with the page's state that the link shows. */
    entry: (name: PageName) =>
      navigation.getByRole('link', { name: new RegExp(`^${titles[name]}`) }),
  }
}

/** Elements in sight that the Tab key reaches, outside of rail, top bar and rows. */
export function countControls(page: Page): Promise<number> {
  const focusable = 'a[href],button,input,select,textarea,summary,[tabindex]'
  // An item of a list with the time of its event is a row.
  const elsewhere =
    '[role=banner],header:has([aria-label=Pages]),nav[aria-label=Pages],tbody,[role=row],li:has(time)'
  return page.evaluate(
    ([what, not]) =>
      [...document.querySelectorAll<HTMLElement>(`main ${what.replaceAll(',', ',main ')}`)].filter(
        (each) => {
          const { top, bottom, width, height } = each.getBoundingClientRect()
          const isSeen = width > 1 && height > 1 && bottom > 0 && top < innerHeight
          const isEnabled = each.tabIndex >= 0 && !each.matches(':disabled')
          return isSeen && isEnabled && each.closest(not) === null && each.checkVisibility()
        },
      ).length,
    [focusable, elsewhere] as const,
  )
}

/** The open dialog or confirmation. */
export function openDialog(page: Page) {
  const dialog = page.locator('[data-modal]').last()
  return {
    dialog,
    hasFocus: () => dialog.evaluate((each) => each.contains(document.activeElement)),
    // If the pointer has opened a card, the first Escape only closes the card.
    close: () =>
      repeatUntil(async (timeout) => {
        await page.keyboard.press('Escape')
        await dialog.waitFor({ state: 'hidden', timeout })
      }),
  }
}

/** The dialog that lists the keys. */
export function keyHelp(page: Page) {
  return {
    text: { nextCapture: 'Next capture' },
    dialog: page.getByRole('dialog', { name: 'Keyboard shortcuts' }),
  }
}

/** The notices of problems, behind their button in the header. */
export function notices(page: Page) {
  // The Overview also lists incidents, below the banners.
  const banners = page.locator('main > div').first()
  return {
    button: page.getByRole('button', { name: /notice/i }),
    /** The notice in the list that the button opens. */
    titled: (title: string | RegExp) => page.getByRole('dialog').getByText(title).first(),
    async showCause(): Promise<void> {
      await page.getByRole('dialog').getByRole('link', { name: 'Show cause' }).click()
      // Keys have no effect while the list is closing.
      await expect(page.getByRole('dialog')).toBeHidden()
    },
    /** The banner above every page. */
    strip: banners.getByRole('link', { name: 'Show cause' }),
    inInbox: page.getByRole('region', { name: 'Inbox' }).getByRole('link', { name: 'Show cause' }),
    async snooze(how: string): Promise<void> {
      await banners.getByRole('button', { name: 'Snooze' }).click()
      await page.getByRole('menuitem', { name: how }).click()
    },
    endSnooze: () => page.getByRole('dialog').getByRole('button', { name: 'End snooze' }).click(),
  }
}

/** Adds a link to the page, as a script in the page could. */
export async function insertLink(page: Page): Promise<Locator> {
  await page.evaluate(() => {
    const link = Object.assign(document.createElement('a'), { id: 'inserted', textContent: 'link' })
    document.querySelector('main')?.prepend(link)
  })
  return page.locator('#inserted')
}

/** A confirmation before an action. */
export function question(page: Page, confirm: string | RegExp, name?: string | RegExp) {
  const dialog = page.getByRole('alertdialog', name === undefined ? {} : { name })
  return {
    dialog,
    cancel: dialog.getByRole('button', { name: 'Cancel', exact: true }),
    confirm: dialog.getByRole('button', { name: confirm }),
  }
}

/** Presses a copy button and waits until it confirms the copy. */
export async function copy(scope: Locator, thing: string): Promise<void> {
  await scope.getByRole('button', { name: new RegExp(`^Copy.*${thing}$`) }).click()
  await expect(scope.getByRole('button', { name: new RegExp(`^Copied.*${thing}$`) })).toBeVisible()
}

export function section(page: Page, title: string): Locator {
  return page.getByRole('region', { name: title, exact: true })
}

/** The selected network and the menu of networks, in the header. */
export function networkMenu(page: Page) {
  const button = page.getByRole('banner').getByRole('button', { name: /^Network:/ })
  const network = (name: string) =>
    page.getByRole('menuitemcheckbox', { name: new RegExp(`^${name}`) })
  return {
    button,
    network,
    choose: async (name: string) => {
      await button.click()
      await network(name).click()
    },
  }
}

/** The command palette: search, and commands by name. */
export function palette(page: Page) {
  const dialog = page.getByRole('dialog', { name: 'Search or run a command' })
  return {
    dialog,
    field: page.getByRole('combobox', { name: 'Search or run a command' }),
    /** Texts with which the palette finds these commands. */
    commands: {
      webhookTokens: 'webhook tok',
      darkTheme: 'theme dark',
      testnet: 'network test',
      newWindow: 'open in new',
      print: 'print this page',
    },
    selected: page.getByRole('option', { selected: true }),
  }
}
