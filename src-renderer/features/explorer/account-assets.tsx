/** Shows the assets of an account: their worth in a fiat currency, and the jettons. */
import type { CoinRate } from '../../../src-preload/contract/asset.ts'
import type { AccountView, JettonBalance } from '../../../src-preload/contract/chain/account.ts'
import { coinName } from '../../../src-preload/domain/amount.ts'
import {
  type FiatCurrency,
  addFiat,
  fiatDecimals,
  fiatValue,
} from '../../../src-preload/domain/fiat.ts'
import { useData } from '../../app/bridge.ts'
import { createStored } from '../../app/stored.ts'
import { formatAsset, formatUnits } from '../../components/amount.ts'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { accountHref, assetHref } from '../../components/chain/chain-links.ts'
import { AssetSymbol } from '../../components/chain/chain-text.tsx'
import { useShownNetwork } from '../../components/network-tag.tsx'
import { Chip } from '../../ui/button.tsx'
import { formatCount, formatDay, formatNumber, fromMs } from '../../ui/format.ts'
import { Hint, Section, Tag, Text } from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { KeyValues } from '../../ui/values.tsx'
import { Table } from '../../ui/table.tsx'

type Owned = Pick<AccountView, 'balance' | 'jettons' | 'currency'>

/**
 * Computes the worth of an account's assets that have a price. A blacklisted jetton counts as
 * nothing, because its maker may have arranged its price.
 */
export function worthOf(
  { balance, jettons, currency }: Owned,
  { rate, currency: coinCurrency }: Pick<CoinRate, 'rate' | 'currency'>,
) {
  const coins = rate === null ? null : fiatValue(BigInt(balance), 9, rate, coinCurrency)
  const owned = (jettons ?? []).filter((jetton) => /[1-9]/.test(jetton.balance))
  const counted = owned.filter(({ verification }) => verification !== 'blacklist')
  const values = counted.flatMap((jetton) => jettonValue(jetton, currency) ?? [])
  return {
    coins,
    /**
     * The sum is null if the coin has no rate, because the sum would be too small. It is also null
     * after the currency was changed.
     */
    total:
      coins === null || coinCurrency !== currency ? null : addFiat([coins, ...values], currency),
    countedJettons: values.length,
    otherJettons: owned.length - values.length,
  }
}

/**
 * Returns null if a jetton has no price, or if it has a display multiplier, because its price may
 * be of either unit.
 */
function jettonValue({ balance, asset, price }: JettonBalance, currency: FiatCurrency) {
  if (price === null || asset.scale !== undefined || !/^\d+$/.test(balance)) return null
  return fiatValue(BigInt(balance), asset.decimals, price, currency)
}

/** A value that would round to zero is not shown as 0. */
function formatValue(value: string, currency: FiatCurrency, isNothing = false): string {
  const isShown = isNothing || /[1-9]/.test(value)
  const digits = (isShown ? value : value.replace(/\d$/, '1')).replace('.', '')
  return `${isShown ? '≈' : '<'} ${formatUnits(digits, fiatDecimals[currency])} ${currency}`
}

const caution = 'These rates come from the gateway. Do not use them for accounting.'

/**
 * Shows the worth of an account by the gateway's rates. The account itself is displayed before the
 * rates are loaded.
 */
export function AccountWorth({ account }: { account: AccountView }) {
  const { id: network } = useShownNetwork()
  const { data, error } = useData('asset.coinRate', { network })
  return (
    <Section title="Value" aria-label="Value">
      {data?.network === network ? (
        <KeyValues values={worthPairs(account, data)} />
      ) : (
        <Hint>
          {error === null ? 'Loading the rate…' : `Could not load the rate: ${error.message}`}
        </Hint>
      )}
    </Section>
  )
}

function worthPairs(account: AccountView, coin: CoinRate) {
  const { rate, at, currency } = coin
  const { coins, total, countedJettons, otherJettons } = worthOf(account, coin)
  const others =
    otherJettons > 0 &&
    ` Not counted: ${formatCount(otherJettons, 'jetton')} without a rate or blacklisted.`
  const isEmpty = !/[1-9]/.test(account.balance)
  return {
    [coinName()]:
      coins === null ? (
        `unknown: the gateway has no rate in ${currency}`
      ) : (
        <Text title={caution}>{formatValue(coins, currency, isEmpty)}</Text>
      ),
    Total:
      total === null ? null : (
        <>
          <Text strong title={caution}>
            {formatValue(total, currency, isEmpty && countedJettons === 0)}
          </Text>
          <Text as="div" tone="dim" size="s">
            {coinName()} and {formatCount(countedJettons, 'jetton')}.{others}
          </Text>
        </>
      ),
    Rate:
      rate === null ? null : (
        <>
          {formatNumber(rate)} {currency} per {coinName()}, loaded <Moment at={fromMs(at)} />
        </>
      ),
  }
}

type Hidden = { readonly empty: boolean; readonly blacklisted: boolean }

const { use: useHidden, change: changeHidden } = createStored<Hidden>(
  'tondesk.jettons',
  ({ empty, blacklisted }) => ({ empty: empty === true, blacklisted: blacklisted === true }),
)

const isEmptyJetton = ({ balance }: JettonBalance) => !/[1-9]/.test(balance)
const isBlacklisted = ({ verification }: JettonBalance) => verification === 'blacklist'

export function JettonsSection({ account }: { account: AccountView }) {
  const { jettons, unreadJettons, currency, fetchedAt } = account
  const { id } = useShownNetwork()
  const hidden = useHidden()
  const all = jettons ?? []
  const shown = all.filter(
    (jetton) =>
      !(hidden.empty && isEmptyJetton(jetton)) && !(hidden.blacklisted && isBlacklisted(jetton)),
  )
  const isValued = shown.some((jetton) => jettonValue(jetton, currency) !== null)
  return (
    <Section
      title={all.length === 0 ? 'Jettons' : `Jettons (${all.length})`}
      aria-label="Jettons"
      end={
        <>
          {all.some(isEmptyJetton) && (
            <Chip pressed={hidden.empty} onPress={() => changeHidden({ empty: !hidden.empty })}>
              Hide empty
            </Chip>
          )}
          {all.some(isBlacklisted) && (
            <Chip
              pressed={hidden.blacklisted}
              onPress={() => changeHidden({ blacklisted: !hidden.blacklisted })}
            >
              Hide blacklisted
            </Chip>
          )}
        </>
      }
    >
      {jettons === null && <Hint>Could not load the jettons.</Hint>}
      {jettons?.length === 0 && <Hint>No jettons.</Hint>}
      {shown.length > 0 && (
        <Table
          label="Jettons"
          scroll
          rows={shown}
          keyOf={({ walletAddress }) => walletAddress}
          columns={[
            {
              name: 'Jetton',
              grow: 1,
              width: 90,
              cell: ({ asset, name, walletAddress }) => (
                <>
                  <a href={assetHref('jetton', asset.jetton ?? '', id)} title={name}>
                    <AssetSymbol asset={asset} />
                  </a>
                  <div>
                    <Text
                      as="a"
                      size="s"
                      tone="dim"
                      href={accountHref(walletAddress, id)}
                      title={`Jetton wallet: ${walletAddress}`}
                    >
                      Wallet
                    </Text>
                  </div>
                </>
              ),
            },
            {
              name: 'Balance',
              look: 'amount',
              cell: (jetton) => <Balance jetton={jetton} currency={currency} />,
            },
            {
              name: 'Verification',
              hideName: true,
              cell: ({ verification }) => <Verification verification={verification} />,
            },
          ]}
        />
      )}
      {shown.length < all.length && (
        <Hint>{formatCount(all.length - shown.length, 'jetton')} hidden.</Hint>
      )}
      {isValued && (
        <Text as="p" tone="dim" size="s" title={caution}>
          Rates loaded <Moment at={fromMs(fetchedAt)} />
        </Text>
      )}
      {unreadJettons.map((why) => (
        <Hint key={why}>
          A jetton could not be parsed and is not shown: <UntrustedText text={why} />
        </Hint>
      ))}
    </Section>
  )
}

function Balance({ jetton, currency }: { jetton: JettonBalance; currency: FiatCurrency }) {
  const { asset, balance, lock, price } = jetton
  const text = formatAsset(balance, asset)
  const value = jettonValue(jetton, currency)
  return (
    <>
      <Text title={asset.scale ? `${formatUnits(balance, asset.decimals)} on the chain` : text}>
        {shortenDecimals(text)}
      </Text>
      {value !== null && !isEmptyJetton(jetton) && (
        <Text
          as="div"
          tone="faint"
          title={`${price ?? ''} ${currency} per ${asset.symbol}. ${caution}`}
        >
          {formatValue(value, currency)}
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

/** The maker of a jetton chooses its number of decimals, which may be up to 255. */
const maxDigits = 40

function shortenDecimals(amount: string): string {
  return amount.length <= maxDigits ? amount : `${amount.slice(0, maxDigits)}…`
}

/** Shows the gateway's verdict about a jetton, or how far it trusts an NFT. */
export function Verification({ verification }: { verification: string }) {
  switch (verification) {
    case 'blacklist':
      return (
        <Tag tone="bad" title="The gateway lists this as spam or fraud.">
          blacklisted
        </Tag>
      )
    case 'graylist':
      return <Tag tone="warn">suspicious</Tag>
    case 'none':
      return <Tag title="Anyone can create one with this name.">not verified</Tag>
    default:
      return null
  }
}
