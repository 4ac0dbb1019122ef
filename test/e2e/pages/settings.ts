/** Drives the settings: appearance, receiver, tokens, networks and keys, backups, diagnostics. */
import type { Locator, Page } from '@playwright/test'
import { copy, openPage, question, section } from './frame.ts'

/** On a computer without a keychain, chooses to keep secrets for the session. */
export async function waitForKeychain(of: Locator): Promise<void> {
  // The placeholder that is shown while the state is loading mentions the keychain too.
  const unavailable = of.getByRole('button', { name: 'Try the keychain again' })
  await of.getByText('are stored in the keychain of this system').or(unavailable).first().waitFor()
  const forSession = of.getByRole('button', { name: 'Keep keys and tokens in memory' })
  if (!(await forSession.isVisible())) return
  await forSession.click()
  // Keys can be added only after the choice has reached the main process.
  await forSession.waitFor({ state: 'hidden' })
}

export function appearance(page: Page) {
  const themes = section(page, 'Appearance')
  return {
    section: themes,
    /** The selected theme has the focus within its group. */
    chosenTheme: themes.getByRole('group', { name: 'Theme' }).getByRole('radio', { checked: true }),
    chooseDark: () => themes.getByRole('radio', { name: 'Dark' }).click(),
    chooseCoinName: (name: 'Coin name used by the network' | 'GRAM' | 'TON') =>
      themes.getByRole('radio', { name }).click(),
    chooseNumbers: (example: string) => themes.getByRole('radio', { name: example }).click(),
    chooseLight: () => themes.getByRole('radio', { name: 'Light' }).click(),
    isDark: page.getByText('Theme: dark').first(),
    /** The document with the dark theme. */
    darkDocument: page.locator('html[data-theme="dark"]'),
  }
}

export function receiverSettings(page: Page) {
  const receiver = section(page, 'Receiver')
  return {
    text: {
      inUse: (port: string) => `In use now: ${port}`,
      portRange: '1024 to 65535',
    },
    section: receiver,
    publicUrlDoesNotWork: receiver.getByRole('link', { name: 'does not work' }),
    port: receiver.getByRole('textbox', { name: 'Port' }),
    error: receiver.getByRole('alert'),
    portIsTaken: (port: number) => receiver.getByText(new RegExp(`Port ${port} is taken`)),
    saved: receiver.getByText('Saved', { exact: true }),
    publicUrl: receiver.getByRole('textbox', { name: 'Public URL' }),
    hasNewUrl: page.getByText('The receiver has a new URL').first(),
    stop: () => receiver.getByRole('button', { name: 'Stop' }).click(),
    copyUrl: () => copy(receiver, 'receiver URL'),
    rotateToken: () => receiver.getByRole('button', { name: /^Rotate token/ }).click(),
    rotateQuestion: question(page, 'Rotate token'),
  }
}

export function reportSettings(page: Page) {
  const reports = section(page, 'Reports')
  return {
    chooseFiatCurrency: async (code: string) => {
      await reports.getByRole('combobox', { name: 'Fiat currency' }).click()
      await page.getByRole('option', { name: code, exact: true }).click()
    },
  }
}

export function webhookTokens(page: Page) {
  const tokens = section(page, 'Webhook tokens')
  return {
    heading: page.getByRole('heading', { name: 'Webhook tokens' }),
    token: (name: string) => tokens.getByRole('row', { name: new RegExp(name) }),
    waitForKeychain: () => waitForKeychain(tokens),
    add: async (name: string, token: string) => {
      await tokens.getByRole('button', { name: 'Add a token' }).click()
      await tokens.getByRole('textbox', { name: 'Name' }).fill(name)
      await tokens.getByLabel('Token', { exact: true }).fill(token)
      await tokens.getByRole('button', { name: 'Add', exact: true }).click()
    },
    remove: async (name: string) => {
      await tokens.getByRole('button', { name: `Remove ${name}…` }).click()
      await question(page, 'Remove').confirm.click()
    },
  }
}

export function alertSettings(page: Page) {
  const alerts = section(page, 'Alerts')
  const destination = alerts.getByRole('group', { name: /^Webhook / })
  const add = () => alerts.getByRole('button', { name: 'Add destination' }).click()
  return {
    section: alerts,
    add,
    edit: () => destination.getByRole('button', { name: /^Edit/ }).click(),
    /** @returns the generated signing secret */
    async addWebhook(url: string): Promise<string> {
      await waitForKeychain(section(page, 'Networks and keys'))
      await add()
      await alerts.getByRole('radio', { name: 'Webhook' }).click()
      await alerts.getByRole('textbox', { name: 'URL' }).fill(url)
      await alerts.getByRole('button', { name: 'Generate' }).click()
      const secret = await alerts.getByLabel('Signing secret').inputValue()
      await alerts.getByRole('button', { name: 'Add', exact: true }).click()
      await destination.waitFor()
      return secret
    },
    isOn: destination.getByRole('switch'),
    sendTest: () => destination.getByRole('button', { name: /^Send test/ }).click(),
    result: (word: 'sent' | 'failed') => destination.getByText(word, { exact: true }),
    destination,
  }
}

export function settingsSearch(page: Page) {
  return {
    field: page.getByRole('searchbox', { name: 'Search settings' }),
    sections: page.getByRole('region', { name: 'Settings' }).getByRole('heading', { level: 3 }),
    nothing: page.getByText(/^Nothing on this page contains/),
  }
}

export function retention(page: Page) {
  const limits = section(page, 'Retention')
  return {
    count: limits.getByRole('textbox', { name: 'Maximum number of captures' }),
    size: limits.getByRole('textbox', { name: 'Maximum size' }),
    error: limits.getByRole('alert'),
    question: question(page, 'Set limit'),
  }
}

export function networkSettings(page: Page) {
  const networks = section(page, 'Networks and keys')
  const form = networks.getByRole('form', { name: 'Add a network' })
  return {
    text: {
      tooShort: 'at least 8 characters',
      httpOnlyLocal: 'Plain http is allowed for this computer',
      inUse: 'in use',
      wrongKey: /wrong key/,
      needsCapability: /not allowed.*webhooks capability/,
      none: /none/,
    },
    keyIsOfAnotherHost: page.getByText(/The host changed, so Tondesk removed the/).first(),
    open: async () => {
      await openPage(page, 'settings')
      await waitForKeychain(networks)
    },
    add: () => networks.getByRole('button', { name: 'Add a network' }).click(),
    adding: {
      name: form.getByLabel('Name'),
      queryUrl: form.getByLabel('Query API'),
      webhooksUrl: form.getByLabel('Webhooks API', { exact: true }),
      error: form.getByRole('alert'),
      save: () => form.getByRole('button', { name: 'Add' }).click(),
    },
    network: (name: string) => {
      const region = networks.getByRole('group', { name })
      return {
        region,
        key: region.getByLabel(`New API key of ${name}`),
        error: region.getByRole('alert'),
        webhooksUrl: region.getByLabel('Webhooks API', { exact: true }),
        checks: region
          .getByRole('table', { name: `Connection test of ${name}` })
          .locator('tbody tr'),
        addKey: () => region.getByRole('button', { name: `Add the API key of ${name}` }).click(),
        removeKey: async () => {
          await region.getByRole('button', { name: `Remove the API key of ${name}…` }).click()
          await question(page, 'Remove').confirm.click()
        },
        testConnection: () =>
          region.getByRole('button', { name: `Test connection to ${name}` }).click(),
        change: () => region.getByRole('button', { name: `Edit ${name}` }).click(),
        remove: async () => {
          await region.getByRole('button', { name: `Remove ${name}…` }).click()
          await question(page, 'Remove').confirm.click()
        },
      }
    },
  }
}

export function desktopSettings(page: Page) {
  const desktop = section(page, 'Desktop app')
  return {
    section: desktop,
    isElsewhere: desktop.getByText('You use Tondesk in a browser'),
    noTray: desktop.getByText('This desktop shows no tray icons'),
    chooseOnClose: (name: 'Ask the next time' | 'Keep receiving' | 'Quit Tondesk') =>
      desktop.getByRole('radio', { name }).click(),
    onClose: (name: 'Ask the next time' | 'Keep receiving' | 'Quit Tondesk') =>
      desktop.getByRole('radio', { name }),
    startAtLogin: desktop.getByRole('switch', { name: 'Start Tondesk at login' }),
    error: desktop.getByRole('alert'),
  }
}

export function backups(page: Page) {
  const data = section(page, 'Data and backups')
  return {
    newest: data.getByRole('row').nth(1),
    make: () =>
      data
        .getByRole('button', { name: /backup/i })
        .first()
        .click(),
    error: data.getByRole('alert'),
    chooseFile: (file: string | { name: string; mimeType: string; buffer: Buffer }) =>
      data.getByLabel('Restore from a file…').last().setInputFiles(file),
    restoreQuestion: question(page, /^Restore/),
  }
}

export function diagnostics(page: Page) {
  const region = section(page, 'Diagnostics')
  return {
    section: region,
    sandboxQueries: region.getByRole('row', { name: /^Sandbox · Query/ }).first(),
    recentRequest: (status: number) =>
      region.getByRole('group', { name: 'Recent requests' }).getByText(String(status)).first(),
    copyFigures: () => copy(region, 'request statistics'),
  }
}

export function logs(page: Page) {
  const region = section(page, 'Logs')
  const entries = region.getByRole('table', { name: 'Log entries' })
  return {
    section: region,
    entry: (message: string | RegExp) => entries.getByRole('row').filter({ hasText: message }),
    search: (text: string) => region.getByRole('searchbox').fill(text),
    chooseErrors: async () => {
      await region.getByRole('combobox', { name: 'Level' }).click()
      await page.getByRole('option', { name: 'Errors', exact: true }).click()
    },
    isEmpty: region.getByText('No entries match.'),
    openFolder: region.getByRole('button', { name: 'Open folder' }),
    copyEntries: () => region.getByRole('button', { name: /^Copy \d+ entr/ }).click(),
    copyFolder: () => copy(region, 'log folder'),
    crash: region.getByText(/^Tondesk ended unexpectedly/),
    /** The link in the notice above every page. */
    showReport: () => page.getByRole('link', { name: 'Show crash report' }).click(),
    copyReport: () => copy(region, 'crash report'),
  }
}

/** Drives versions, updates, release notes and licences. */
export function about(page: Page) {
  const own = section(page, 'About')
  const checkButton = own.getByRole('button', { name: 'Check for updates' })
  const downloadButton = own.getByRole('button', { name: /^Download / })
  const dialog = page.getByRole('dialog')
  return {
    checkButton,
    downloadButton,
    check: () => checkButton.click(),
    download: (version: string) => own.getByRole('button', { name: `Download ${version}` }).click(),
    state: own.getByRole('status'),
    problem: own.getByRole('alert'),
    notes: (version: string) => own.getByRole('group', { name: `Release notes of ${version}` }),
    isOff: own.getByText('This installation has no automatic updates.'),
    openLicences: () => own.getByRole('button', { name: 'Licences' }).click(),
    openReleaseNotes: () => own.getByRole('button', { name: 'Release notes' }).click(),
    packageLicence: (name: RegExp) => dialog.getByText(name),
    licenceText: (name: string) => dialog.getByRole('group', { name: `Licence of ${name}` }),
    releaseNotes: dialog.getByRole('group', { name: 'Release notes' }),
  }
}
