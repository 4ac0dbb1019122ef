import type { AccountView, Asset, JettonBalance } from '../../../src-preload/contract/chain.ts'
import { toggleAddressForm, useAddressForm } from '../../components/address-form.ts'
import { formatAsset, formatUnits } from '../../components/amount.ts'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { Amount, AssetSymbol } from '../../components/chain/amount.tsx'
import { accountHref } from '../../components/chain/chain-links.ts'
import { HashText } from '../../components/chain/hash-text.tsx'
import { useShownNetwork } from '../../components/network-tag.tsx'
import { Button } from '../../ui/button.tsx'
import { formatDay, fromMs } from '../../ui/format.ts'
import { KeyValues, Moment, Tag, Text, Note, Row, Section, Stack } from '../../ui/layout.tsx'
import { Table } from '../../ui/table.tsx'

export function AccountFacts({ account: view }: { account: AccountView }) {
  const form = useAddressForm((state) => state.form)
  const { forms } = view
  return (
    <Stack fill scroll gap="none" tabIndex={0} role="region" aria-label="Account facts">
      {view.note !== '' && (
        <Note>
          <Text as="p" over="lines">
            <UntrustedText text={view.note} />
          </Text>
        </Note>
      )}
      <Section
        title="Addresses"
        actions={
          <Row last>
            <Button kind="quiet" onClick={toggleAddressForm} title="Switch the form of addresses">
              {form === 'raw' ? 'Raw addresses' : 'Friendly addresses'}
            </Button>
          </Row>
        }
      >
        <KeyValues
          pairs={[
            ['Bounceable', <Form key="b" address={forms.bounceable} />],
            ['Non-bounceable', <Form key="n" address={forms.nonBounceable} />],
            ['Raw', <Form key="r" address={forms.raw} />],
          ]}
        />
      </Section>
      <Section title="Account">
        <KeyValues pairs={statePairs(view)} />
      </Section>
      <Section title={jettonsTitle(view.jettons)} aria-label="Jettons">
        <Jettons jettons={view.jettons} />
        {view.unreadJettons.map((why) => (
          <Text key={why} as="p" tone="dim" size="s">
            A jetton could not be parsed and is not shown: <UntrustedText text={why} />
          </Text>
        ))}
      </Section>
    </Stack>
  )
}

function statePairs(view: AccountView) {
  const { extra, lastActivity, account, interfaces, getMethods } = view
  return [
    ['Balance', <Amount key="b" units={view.balance} />],
    [
      'Extra currencies',
      extra.length === 0
        ? null
        : extra.map(({ asset, units }) => (
            <div key={asset.extraCurrency}>
              <Amount units={units} asset={asset} />
            </div>
          )),
    ],
    [
      'Last activity',
      lastActivity === null ? 'never' : <Moment key="m" at={fromMs(lastActivity)} />,
    ],
    ['Name', account.name === null ? null : <UntrustedText key="u" text={account.name} />],
    ['Wallet', view.walletKind],
    ['Interfaces', interfaces.length === 0 ? null : <Words key="i" words={interfaces} />],
    ['Get methods', getMethods.length === 0 ? null : <Words key="g" words={getMethods} />],
    ['Updated', <Moment key="s" at={fromMs(view.fetchedAt)} />],
  ] as const
}

function Form({ address }: { address: string }) {
  return <HashText hash={address} whole what="Address" />
}

function Words({ words }: { words: readonly string[] }) {
  return (
    <Row wrap gap="xs">
      {words.map((word) => (
        <Tag key={word}>
          <UntrustedText text={word} />
        </Tag>
      ))}
    </Row>
  )
}

function jettonsTitle(jettons: readonly JettonBalance[] | null): string {
  return jettons === null || jettons.length === 0 ? 'Jettons' : `Jettons (${jettons.length})`
}

function Jettons({ jettons }: { jettons: readonly JettonBalance[] | null }) {
  const { id } = useShownNetwork()
  if (jettons === null || jettons.length === 0) {
    return (
      <Text as="p" tone="dim" size="s">
        {jettons === null ? 'Could not load the jettons.' : 'No jettons.'}
      </Text>
    )
  }
  return (
    <Table
      label="Jettons"
      scroll
      rows={jettons}
      keyOf={({ walletAddress }) => walletAddress}
      columns={[
        {
          name: 'Jetton',
          grow: 1,
          width: 90,
          cell: ({ asset, name, walletAddress }) => (
            <a
              href={accountHref(walletAddress, id)}
              title={`${name}\nJetton wallet ${walletAddress}`}
            >
              <AssetSymbol asset={asset} />
            </a>
          ),
        },
        { name: 'Balance', look: 'amount', cell: (jetton) => <Balance jetton={jetton} /> },
        {
          name: 'Verification',
          hideName: true,
          cell: ({ verification }) => <Verification verification={verification} />,
        },
      ]}
    />
  )
}

function Balance({ jetton: { asset, balance, lock, priceUsd } }: { jetton: JettonBalance }) {
  const text = formatAsset(balance, asset)
  return (
    <>
      <Text title={asset.scale ? `${formatUnits(balance, asset.decimals)} on the chain` : text}>
        {shortenDecimals(text)}
      </Text>
      {priceUsd !== null && asset.scale === undefined && (
        <Text as="div" tone="faint" title="Price reported by the gateway. Not for accounting.">
          ≈ {worthOf(balance, asset, priceUsd)} USD
        </Text>
      )}
      {lock !== null && (
        <Text as="div" tone="faint">
          {formatAsset(lock.units, asset)} locked until {formatDay(fromMs(lock.until), 0)}
        </Text>
      )}
    </>
  )
}

/** The maker of a jetton chooses its decimals, up to 255. */
const maxDigits = 40

function shortenDecimals(amount: string): string {
  return amount.length <= maxDigits ? amount : `${amount.slice(0, maxDigits)}…`
}

/** Rounded to cents, because a price is not more exact than that. */
function worthOf(units: string, { decimals }: Asset, price: number): string {
  return ((Number(units) / 10 ** decimals) * price).toFixed(2)
}

function Verification({ verification }: Pick<JettonBalance, 'verification'>) {
  switch (verification) {
    case 'blacklist':
      return <Tag tone="bad">blacklisted</Tag>
    case 'graylist':
      return <Tag tone="warn">suspicious</Tag>
    case 'none':
      return <Tag title="Anyone can create a jetton with this name.">not verified</Tag>
    default:
      return null
  }
}
