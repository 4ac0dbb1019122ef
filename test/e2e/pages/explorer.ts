/** Drives the explorer: search, the history of an account, a transaction, a block, sending a message. */
import { type Page, expect } from '@playwright/test'
import { question } from './frame.ts'

const text = {
  thisTransaction: 'this transaction',
  exitCode: 'Exit code',
  bits: /\d+ bits/,
  feesLeft: / left/,
  playMoney: 'play money',
  transactionResult: /^Transaction/,
}

export function chainSearch(page: Page) {
  const field = page.getByRole('searchbox', { name: 'Search the chain' })
  return {
    isEmpty: page.getByRole('heading', { name: 'Latest blocks' }),
    notFound: page.getByText(/nothing|not found/i).first(),
    search: async (words: string) => {
      await field.fill(words)
      await field.press('Enter')
    },
    find: async (words: string) => {
      await field.fill(words)
      await field.press('Enter')
      // After a result was opened, the field is empty and has no focus.
      await expect(field).toHaveValue('')
    },
  }
}

export function account(page: Page) {
  return {
    /** The list of events, or of transactions if these are selected. */
    history: page.getByRole('grid', { name: /^(Events|Transactions)$/ }).locator('[data-index]'),
    showTransactions: () => page.getByRole('button', { name: 'Transactions', exact: true }).click(),
    expandFirst: () => page.getByRole('button', { name: 'Show its transactions' }).first().click(),
    name: (name: string) => page.getByRole('heading', { level: 2, name }),
    labelField: page.getByRole('textbox', { name: 'Label' }),
    noneMatches: page.getByText(/No (event|transaction) matches the filters/),
    addLabel: () => page.getByRole('button', { name: 'Add a label' }).click(),
    onlyOutgoing: async () => {
      await page.getByRole('button', { name: 'Filter ▾' }).click()
      await page.getByRole('button', { name: 'Direction' }).click()
      await page.getByRole('radio', { name: 'out' }).check()
      await page.keyboard.press('Escape')
    },
    removeFilters: () => page.getByRole('button', { name: 'Remove filters' }).click(),
  }
}

/** Drives the export of an account’s history, from the button on its page to the file. */
export function historyExport(page: Page) {
  const menuItem = (name: string) => page.getByRole('menuitem', { name })
  return {
    open: () => page.getByRole('button', { name: 'Export history…' }).click(),
    rowsOf: (view: string) => page.getByRole('radio', { name: view, exact: true }).check(),
    start: () => page.getByRole('button', { name: 'Start export' }).click(),
    isDone: page.getByText('done', { exact: true }),
    sumsAgree: page.getByText('equals the change of balance').first(),
    balance: (asset: string) => page.getByRole('img', { name: `Balance of ${asset}` }),
    chooseAsset: async (asset: string) => {
      await page.getByRole('combobox', { name: 'Asset of the chart' }).click()
      await page.getByRole('option', { name: asset, exact: true }).click()
    },
    list: page.getByRole('table', { name: 'History exports' }),
    saveAs: async (format: string) => {
      await page.getByRole('button', { name: /^Export/ }).click()
      await menuItem(format).click()
    },
    showAll: () => page.getByRole('button', { name: 'All exports' }).click(),
  }
}

/** Drives the assets of an account, and their pages. */
export function assets(page: Page) {
  const jettons = page.getByRole('region', { name: 'Jettons' })
  return {
    value: page.getByRole('region', { name: 'Value' }),
    jettons,
    openJetton: (symbol: string) =>
      jettons.getByRole('link', { name: symbol, exact: true }).click(),
    jettonFacts: page.getByRole('region', { name: 'Jetton details' }),
    holders: page.getByRole('grid', { name: 'Holders' }).locator('[data-index]'),
    nfts: page.getByRole('grid', { name: 'NFTs' }).locator('[data-index]'),
    showSuspicious: (count: number) =>
      page.getByRole('button', { name: `Show ${count} suspicious NFTs` }).click(),
    openNft: (name: string) => page.getByText(name, { exact: true }).dblclick(),
    nftFacts: page.getByRole('region', { name: 'NFT details' }),
    collectionFacts: page.getByRole('region', { name: 'Collection details' }),
    openCollection: (name: string) => page.getByRole('link', { name }).first().click(),
    picture: page.getByRole('region', { name: 'Picture' }),
    pictureOf: (name: string) => page.getByRole('img', { name: `Picture of ${name}` }),
    showPicture: () => page.getByRole('button', { name: 'Show picture' }).click(),
    tryPictureAgain: () => page.getByRole('button', { name: 'Try again' }).click(),
    marks: { blacklisted: 'blacklisted', foreign: 'not of the collection' },
    refused: 'leads to this computer',
  }
}

export function blocks(page: Page) {
  const details = page.getByRole('region', { name: 'Block details' })
  return {
    show: () => page.getByRole('link', { name: 'Blocks', exact: true }).click(),
    latest: page.getByRole('grid', { name: 'Blocks' }).locator('[data-index]'),
    heading: (id: string) => page.getByRole('heading', { level: 2, name: `Block ${id}` }),
    openFromDetails: (id: string) => details.getByRole('link', { name: id }).click(),
    collectedFees: details.getByText('Fees collected'),
  }
}

const tabs = {
  overview: 'Overview',
  messages: /^Messages and fees/,
  raw: /^Raw/,
}

export function transaction(page: Page) {
  const messages = page.getByRole('tree', { name: 'Messages' })
  return {
    text,
    summary: (amount: string, to: string) =>
      page
        .getByRole('heading', { level: 2 })
        .getByText(new RegExp(`sent ${amount.replace('.', '\\.')} TON to ${to}`)),
    comment: (comment: string) => page.getByText(new RegExp(comment)).first(),
    messages: messages.getByRole('treeitem'),
    actions: page.getByRole('list', { name: 'Actions of the event' }).getByRole('listitem'),
    showMessagesAsText: () =>
      page.getByRole('button', { name: 'Show the messages as text' }).click(),
    showMessagesAsTree: () =>
      page.getByRole('button', { name: 'Show the messages as a tree' }).click(),
    messageText: page.getByRole('group', { name: 'Message tree as text' }),
    copyMessageText: async () => {
      await page.getByRole('button', { name: /^Copy text/ }).click()
      await page.getByRole('button', { name: /^Copied.*message tree/ }).waitFor()
    },
    selectedMessage: messages.getByRole('treeitem', { selected: true }),
    valueFlow: page.getByRole('region', { name: 'Value flow' }),
    incomingMessage: page.getByRole('region', { name: 'Incoming message' }),
    walletOrder: page.getByRole('region', { name: 'Wallet order' }),
    unsentOrders: page.getByText(/^The owner ordered the wallet to send/),
    computePhase: page.getByRole('region', { name: 'Compute phase' }),
    cells: page.getByRole('list', { name: 'Cells' }).getByRole('listitem'),
    isOnSandbox: page.getByText('The transaction is on Sandbox; this is Testnet.'),
    payer: (name: string) =>
      page.getByRole('heading', { level: 2 }).getByText(new RegExp(`^${name} sent`)),
    /** Adds a label in the card that an account shows under the pointer. */
    labelAccount: async (name: string, label: string) => {
      await messages.getByRole('link', { name }).hover()
      await page.getByRole('button', { name: 'Edit label…' }).click()
      await page.getByRole('dialog').getByRole('textbox', { name: 'Label' }).fill(label)
      await page.keyboard.press('Enter')
    },
    openTab: (name: keyof typeof tabs) => page.getByRole('tab', { name: tabs[name] }).click(),
    copyHash: async () => {
      await page.getByRole('button', { name: /^Copy hash/ }).click()
      await page.getByRole('button', { name: /^Copied/ }).waitFor()
    },
    backToItsNetwork: async () => {
      await page.getByRole('link', { name: 'Back to the transaction' }).click()
      await page.getByRole('button', { name: 'Switch to Sandbox' }).click()
    },
  }
}

/** Drives sending a message that was signed elsewhere. */
export function sendMessage(page: Page) {
  const form = page.getByRole('form', { name: 'Send a message' })
  const emulation = page.getByRole('region', { name: 'Emulation' })
  return {
    text,
    message: form.getByRole('textbox', { name: /^Signed external message/ }),
    sendButton: form.getByRole('button', { name: 'Send…' }),
    emulation,
    consequences: emulation.getByRole('region', { name: 'Effects of the message' }),
    isOnChain: page.getByText('The message is on the chain.'),
    show: async () => {
      await page.getByRole('link', { name: 'Build', exact: true }).click()
      await page.getByRole('button', { name: 'Signed message' }).click()
    },
    emulate: () => form.getByRole('button', { name: 'Emulate' }).click(),
    sendQuestion: question(page, 'Send on Sandbox', 'Send this message on Sandbox?'),
    openTransaction: () => page.getByRole('link', { name: 'Open the transaction' }).click(),
  }
}

/** Drives building a message for a wallet outside the app. */
export function buildMessage(page: Page) {
  const form = page.getByRole('form', { name: 'Build a message' })
  const field = (name: string) => form.getByRole('textbox', { name, exact: true })
  return {
    show: () => page.getByRole('link', { name: 'Build', exact: true }).click(),
    from: field('From wallet'),
    to: field('To'),
    amount: field('Amount'),
    comment: field('Comment'),
    chooseMessage: async (name: string) => {
      await form.getByRole('combobox', { name: 'Kind' }).click()
      await page.getByRole('option', { name: 'Message of a dictionary' }).click()
      await form.getByRole('combobox', { name: 'Message', exact: true }).click()
      await page.getByRole('option', { name, exact: true }).click()
    },
    choose: async (name: string, option: string) => {
      await form.getByRole('combobox', { name }).click()
      await page.getByRole('option', { name: option, exact: true }).click()
    },
    entry: field,
    assumeBalance: async (amount: string) => {
      await form.getByRole('button', { name: 'Assume a balance' }).click()
      await field('Assumed balance of account 1').fill(amount)
    },
    problem: form.getByRole('alert'),
    submit: () => page.keyboard.press('Enter'),
    handover: page.getByRole('region', { name: 'For your wallet' }),
    showQrCode: () => page.getByText('QR code', { exact: true }).click(),
    qrCode: page.getByRole('img', { name: 'The message for a wallet' }),
  }
}

/** Drives the contract of an account: get methods, code and data. */
export function contract(page: Page) {
  const form = page.getByRole('form', { name: 'Run a get method' })
  return {
    open: () => page.getByRole('link', { name: 'Contract', exact: true }).click(),
    chooseKnown: (name: string) =>
      form
        .getByRole('group', { name: 'Known methods' })
        .getByRole('button', { name, exact: true })
        .click(),
    method: form.getByRole('textbox', { name: 'Method' }),
    addArgument: async (value: string) => {
      await form.getByRole('button', { name: 'Add an argument' }).click()
      await form.getByRole('textbox', { name: 'Argument 1' }).fill(value)
    },
    run: () => page.keyboard.press('Enter'),
    values: page.getByRole('list', { name: 'Returned values' }).getByRole('listitem'),
    argumentNames: form.getByText(/: int as/),
    failure: page.getByRole('region', { name: 'Result' }).getByRole('alert'),
    focusTabs: () => page.getByRole('tab', { name: 'Get methods' }).focus(),
    openTab: (name: string) => page.getByRole('tab', { name }).click(),
    importDictionary: async (text: string) => {
      const form = page.getByRole('form', { name: 'Import a dictionary' })
      await form.getByRole('textbox', { name: 'ABI or TL-B' }).fill(text)
      await form.getByRole('button', { name: 'Import' }).click()
    },
    openDictionaryFile: async (path: string) => {
      const chooser = page.waitForEvent('filechooser')
      await page.getByRole('button', { name: 'Open a file…' }).click()
      await (await chooser).setFiles(path)
    },
    tooLarge: (name: string) => page.getByText(`“${name}” is too large`).last(),
    importProblem: page.getByRole('form', { name: 'Import a dictionary' }).getByRole('alert'),
    dictionaries: page.getByRole('table', { name: 'Dictionaries' }).getByRole('row'),
    showCells: () =>
      page
        .getByRole('region', { name: 'Code', exact: true })
        .getByText('Cells of the code')
        .click(),
    cells: page.getByRole('list', { name: 'Cells' }).getByRole('listitem'),
  }
}

/** Drives watched accounts: the dialog on an account’s page, and their list. */
export function watchedAccounts(page: Page) {
  const list = page.getByRole('table', { name: 'Watched accounts' })
  const dialog = page.getByRole('dialog', { name: /watch/i })
  return {
    list,
    isEmpty: page.getByRole('heading', { name: 'No accounts are watched yet' }),
    show: async () => {
      await page.getByRole('navigation', { name: 'Explorer' }).getByText('Watched').click()
    },
    watch: async (amount: string) => {
      await page.getByRole('button', { name: 'Watch…' }).click()
      await dialog.getByRole('button', { name: 'Add rule' }).click()
      await dialog.getByRole('textbox', { name: 'At least' }).fill(amount)
    },
    dialog,
    amount: dialog.getByRole('textbox', { name: 'At least' }),
    confirm: () => dialog.getByRole('button', { name: 'Watch', exact: true }).click(),
    watching: list.getByText('watching'),
    found: (what: string) => list.getByText(`received ${what}`),
    openCaptures: () => list.getByRole('link', { name: /^Captures of/ }).click(),
    watchedCapture: page.getByText('watched', { exact: true }).first(),
    pause: () => list.getByRole('button', { name: /^Pause/ }).click(),
    paused: list.getByText('paused'),
    remove: async () => {
      await list.getByRole('button', { name: /^Stop watching/ }).click()
      await dialog
        .or(page.getByRole('alertdialog'))
        .getByRole('button', { name: 'Stop watching' })
        .click()
    },
  }
}
