import { useState } from 'react'
import type {
  ArgumentKind,
  ContractView,
  MethodResult,
  StackItem,
} from '../../../src-preload/contract/contract.ts'
import { request, useData } from '../../app/bridge.ts'
import { useForm } from '../../app/use-form.ts'
import { BocView } from '../../components/body/boc-view.tsx'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { AccountLink } from '../../components/chain/account-link.tsx'
import { accountHref, transactionHref } from '../../components/chain/chain-links.ts'
import { Amount, HashText, LtText, describeCode } from '../../components/chain/chain-text.tsx'
import { useShownNetwork } from '../../components/network-tag.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Select, TextField, Form } from '../../ui/form.tsx'
import { formatCount, formatHash, formatNumber, fromMs } from '../../ui/format.ts'
import {
  Fold,
  Hint,
  Pane,
  Row,
  Section,
  Stack,
  Tag,
  Text,
  Small,
  SmallLink,
} from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { KeyValues } from '../../ui/values.tsx'
import { EmptyState } from '../../ui/loaded.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { CopyButton, announce } from '../../ui/toast.tsx'
import { ChainLoaded, useChainData } from './chain-data.tsx'
import { DictionaryPanel, useDictionary } from './dictionary-panel.tsx'
import { Field } from './transaction-tabs.tsx'

/** Shows the contract of an account: its get methods, its code and its data. */
export function ContractPage({ address }: { address: string }) {
  const network = useShownNetwork().id
  const [tab, setTab] = useState<'methods' | 'code'>('methods')
  const query = useChainData('contract.get', { network, address })
  return (
    <ChainLoaded query={query} of="the contract">
      {(contract) => (
        <Pane>
          <Row as="header" wrap pad="m" line="below">
            <Text as="h2" size="m" over="cut">
              Contract of <AccountLink account={{ address: contract.address }} />
            </Text>
            <Tag>{contract.status === 'nonexist' ? 'not deployed' : contract.status}</Tag>
            {contract.code !== null && (
              <Small>
                Code hash <HashText hash={contract.code.hash} what="Code hash" />
              </Small>
            )}
            <Row last>
              <SmallLink href={accountHref(contract.address, contract.network)}>Account</SmallLink>
            </Row>
          </Row>
          <Tabs
            label="Contract"
            group="Contract"
            value={tab}
            onChange={setTab}
            tabs={[
              {
                value: 'methods',
                label: 'Get methods',
                panel: <Methods contract={contract} />,
              },
              {
                value: 'code',
                label: 'Code, data and dictionary',
                panel: (
                  <>
                    <DictionaryPanel codeHash={contract.code?.hash ?? null} />
                    <Stored contract={contract} />
                  </>
                ),
              },
            ]}
          />
        </Pane>
      )}
    </ChainLoaded>
  )
}

type Argument = {
  readonly key: number
  readonly kind: ArgumentKind
  readonly value: string
  /** The name and the type of an argument in the dictionary. */
  readonly name?: string
}

const kinds: readonly { value: ArgumentKind; label: string }[] = [
  { value: 'number', label: 'Number' },
  { value: 'address', label: 'Address' },
  { value: 'cell', label: 'Cell' },
  { value: 'slice', label: 'Slice' },
  { value: 'null', label: 'Null' },
  { value: 'nan', label: 'NaN' },
]

const placeholders: Readonly<Record<ArgumentKind, string>> = {
  number: '42 or 0x2a',
  address: 'EQ… or 0:…',
  cell: 'BOC as hex or base64',
  slice: 'BOC as hex or base64',
  null: '',
  nan: '',
}

type Named = readonly { readonly name: string }[]

function namesOf(dictionary: Named = [], inspected: Named = [], known: readonly string[] = []) {
  const nameOf = ({ name }: Named[number]) => name
  const names = new Set([...dictionary.map(nameOf), ...known, ...inspected.map(nameOf)])
  return [...names].filter((name) => name !== '')
}

function Methods({ contract }: { contract: ContractView }) {
  const { network, address, inspection, status } = contract
  const { data: account } = useData('account.get', { network, address })
  const dictionary = useDictionary(contract.code?.hash ?? null)
  const [method, setMethod] = useState('')
  const [args, setArgs] = useState<readonly Argument[]>([])
  const [result, setResult] = useState<MethodResult | null>(null)
  const names = namesOf(dictionary?.methods, inspection?.methods, account?.getMethods)
  const change = (key: number, part: Partial<Argument>) =>
    setArgs(args.map((each) => (each.key === key ? { ...each, ...part } : each)))

  const described = dictionary?.methods.find(({ name }) => name === method.trim())
  /**
   * Chooses a method. If the dictionary describes it, its arguments replace the ones of the
   * previous method.
   */
  const choose = (name: string) => {
    setMethod(name)
    const known = dictionary?.methods.find((each) => each.name === name)
    if (known === undefined) return
    const first = (args.at(-1)?.key ?? 0) + 1
    setArgs(
      known.arguments.map((each, index) => {
        const { kind, type } = each
        return { key: first + index, kind, value: '', name: `${each.name}: ${type}` }
      }),
    )
  }

  const form = useForm({}, async () => {
    if (method.trim() === '') return
    setResult(null)
    const typed = args.map(({ kind, value }) => ({ kind, value }))
    const returned = await request('contract.run', { network, address, method, args: typed })
    setResult(returned)
    announce(
      returned.success
        ? `${method} returned ${formatCount(returned.total, 'value')}`
        : `${method} failed with exit code ${returned.exitCode}`,
    )
  })

  if (status !== 'active') {
    return (
      <EmptyState
        title="No code to run"
        detail="Only an active account has get methods. This account has no contract yet, or is frozen."
      />
    )
  }
  return (
    <Stack fill scroll gap="none" tabIndex={0} role="region" aria-label="Get methods">
      <Section title="Run a get method" detail="The gateway runs the method; nothing is sent.">
        <Form
          inline
          form={form}
          label="Run a get method"
          action="Run"
          disabled={method.trim() === ''}
          beside={
            <Button
              kind="quiet"
              icon="plus"
              onClick={() => {
                const key = (args.at(-1)?.key ?? 0) + 1
                setArgs([...args, { key, kind: 'number', value: '' }])
              }}
            >
              Add an argument
            </Button>
          }
        >
          {names.length > 0 && (
            <Row wrap gap="xs" role="group" aria-label="Known methods">
              {names.map((name) => (
                <Button
                  key={name}
                  kind="quiet"
                  aria-pressed={name === method}
                  onClick={() => choose(name)}
                >
                  <UntrustedText text={name} />
                </Button>
              ))}
            </Row>
          )}
          <TextField
            label="Method"
            mono
            placeholder="get_wallet_data"
            value={method}
            onChange={setMethod}
          />
          {described !== undefined && described.returns !== null && (
            <Hint>Returns {described.returns}</Hint>
          )}
          {args.map(({ key, kind, name, value }, index) => (
            <Row key={key} gap="s">
              <Select
                label={`Type of argument ${index + 1}`}
                value={kind}
                options={kinds}
                onChange={(next) => change(key, { kind: next })}
              />
              {name !== undefined && <Small over="nowrap">{name}</Small>}
              {kind !== 'null' && kind !== 'nan' && (
                <Stack grow>
                  <TextField
                    label={`Argument ${index + 1}`}
                    hideLabel
                    mono
                    placeholder={placeholders[kind]}
                    value={value}
                    onChange={(next) => change(key, { value: next })}
                  />
                </Stack>
              )}
              <IconButton
                icon="close"
                label={`Remove argument ${index + 1}`}
                onClick={() => setArgs(args.filter((each) => each.key !== key))}
              />
            </Row>
          ))}
        </Form>
      </Section>
      {result !== null && <Result key={result.at} result={result} />}
    </Stack>
  )
}

/** The number of values that are shown at first, and that each press of “Show more” adds. */
const shownAtOnce = 200

function Result({ result }: { result: MethodResult }) {
  const [shown, setShown] = useState(shownAtOnce)
  const { method, success, exitCode, exitWords, items, total, decoded, at } = result
  return (
    <>
      <Section
        title={<>Result of {method}</>}
        aria-label="Result"
        actions={
          <>
            {success ? <Tag tone="ok">success</Tag> : <Tag tone="bad">failed</Tag>}
            <Small>
              <Moment at={fromMs(at)} />
            </Small>
          </>
        }
      >
        <Stack>
          {!success && (
            <Text as="p" tone="bad" role="alert">
              The method failed with exit code {describeCode(exitCode, exitWords)}.
            </Text>
          )}
          {items.length === 0 ? (
            <Hint>The method returned no values.</Hint>
          ) : (
            <Stack as="ol" gap="xs" aria-label="Returned values">
              {items.slice(0, shown).map((item, index) => (
                <Item key={index} item={item} />
              ))}
            </Stack>
          )}
          {shown < items.length && (
            <Row>
              <Button onClick={() => setShown(shown + shownAtOnce)}>Show more</Button>
              <Text tone="dim" size="s" role="status">
                {formatNumber(shown)} of {formatCount(total, 'value')} are shown
              </Text>
            </Row>
          )}
          {shown >= items.length && items.length < total && (
            <Hint>
              Only the first {formatNumber(items.length)} of {formatCount(total, 'value')} are kept.
            </Hint>
          )}
        </Stack>
      </Section>
      {decoded.length > 0 && (
        <Section title="Decoded by the gateway">
          <KeyValues
            wide
            pairs={decoded.map((field) => [field.name, <Field key={field.name} field={field} />])}
          />
        </Section>
      )}
    </>
  )
}

/** Deeper levels are not indented further. */
const maxIndent = 12
const indentPx = 18

function Item({ item }: { item: StackItem }) {
  const { name, kind, value, depth, boc } = item
  const cells = kind === 'cell' ? value : boc
  return (
    <li style={{ paddingLeft: Math.min(depth, maxIndent) * indentPx }}>
      <Row gap="s" wrap>
        <Tag>{kind}</Tag>
        {name !== null && <UntrustedText size="s" tone="dim" text={name} />}
        <ItemValue item={item} />
      </Row>
      {cells !== null && (
        <Fold summary="Cells" lazy>
          <BocView boxed boc={cells} what="Value" fileName="value.boc" />
        </Fold>
      )}
    </li>
  )
}

const longestShown = 96

function ItemValue({ item: { kind, value } }: { item: StackItem }) {
  switch (kind) {
    case 'address':
      return <AccountLink account={{ address: value }} />
    case 'tuple':
    case 'list':
      return <Text tone="dim">{formatCount(Number(value), 'item')}</Text>
    case 'null':
    case 'nan':
      return null
    case 'unread':
      return <Text tone="warn">{value}</Text>
    case 'number':
    case 'cell':
      return (
        <>
          <Text mono over="break" title={kind === 'number' ? undefined : value.slice(0, 1000)}>
            {value.length > longestShown ? `${value.slice(0, longestShown)}…` : value}
          </Text>
          {kind === 'number' && formatHash(value) !== null && (
            <Text tone="dim"> (hex {formatHash(value)})</Text>
          )}
          <CopyButton text={value} what="Value" iconOnly kind="quiet" />
        </>
      )
  }
}

function Stored({ contract }: { contract: ContractView }) {
  const { network, address, code, data, libraryCode, libraries, storage } = contract
  const name = address.replace(':', '_').slice(0, 20)
  return (
    <Stack gap="none" role="region" aria-label="Code and data">
      <Section title="State">
        <KeyValues values={statePairs(contract, network)} />
      </Section>
      {storage !== null && (
        <Section title="Storage">
          <KeyValues
            values={{
              Cells: formatNumber(storage.usedCells),
              Bits: formatNumber(storage.usedBits),
              'Public cells': formatNumber(storage.usedPublicCells),
              'Last paid':
                storage.lastPaid === null ? 'never' : <Moment at={fromMs(storage.lastPaid)} />,
              'Due payment': <Amount units={storage.due} />,
            }}
          />
        </Section>
      )}
      <CellSection title="Code" cell={code} fileName={`${name}-code.boc`} />
      {libraryCode !== null && (
        <CellSection
          title="Code in the library"
          detail="The account stores only the hash of its code. The gateway returned the code from the masterchain’s libraries."
          cell={libraryCode}
          fileName={`${name}-library-code.boc`}
        />
      )}
      <CellSection title="Data" cell={data} fileName={`${name}-data.boc`} />
      {libraries.map(({ isPublic, root }) => (
        <CellSection
          key={root.hash}
          title={isPublic ? 'Public library' : 'Library'}
          cell={root}
          fileName={`${name}-library-${root.hash.slice(0, 8)}.boc`}
        />
      ))}
      <Inspection contract={contract} />
    </Stack>
  )
}

function statePairs(contract: ContractView, network: string) {
  const { lastTransaction: last, frozenHash, libraries, fetchedAt, status } = contract
  return {
    Status: status,
    'Frozen state': frozenHash && <HashText hash={frozenHash} what="Frozen hash" />,
    'Last transaction': last && (
      <span>
        {last.hash !== null && (
          <HashText
            hash={last.hash}
            href={transactionHref(last.hash, network)}
            what="Transaction hash"
          />
        )}{' '}
        logical time <LtText lt={last.lt} />
      </span>
    ),
    Libraries: libraries.length === 0 ? 'none' : formatNumber(libraries.length),
    Updated: <Moment at={fromMs(fetchedAt)} />,
  }
}

function CellSection({
  title,
  detail,
  cell,
  fileName,
}: {
  title: string
  detail?: string
  cell: ContractView['code']
  fileName: string
}) {
  return (
    <Section title={title} {...(detail !== undefined && { detail })}>
      {cell === null ? (
        <Hint>The gateway returned none.</Hint>
      ) : (
        <Stack>
          <KeyValues
            values={{ Hash: <HashText hash={cell.hash} what={`${title} hash`} whole /> }}
          />
          <Fold summary={`Cells of the ${title.toLowerCase()}`} lazy>
            <BocView boxed boc={cell.boc} what={title} fileName={fileName} />
          </Fold>
        </Stack>
      )}
    </Section>
  )
}

function Inspection({ contract: { inspection, inspectionProblem } }: { contract: ContractView }) {
  if (inspection === null) {
    return (
      <Section title="Disassembly and source">
        <Hint>The gateway did not inspect this code: {inspectionProblem}</Hint>
      </Section>
    )
  }
  const { compiler, disassembly, source, methods } = inspection
  return (
    <Section title="Disassembly and source">
      <Stack>
        <KeyValues
          values={{
            Compiler: compiler ?? 'unknown',
            'Get methods': methods.map(({ id, name }) => `${name} (${id})`).join(', ') || 'none',
          }}
        />
        {disassembly === null ? (
          <Hint>The gateway returned no disassembly.</Hint>
        ) : (
          <Fold summary="Disassembled code" lazy>
            <CodeBlock label="Disassembled code" rows={30}>
              <UntrustedText text={disassembly} />
            </CodeBlock>
          </Fold>
        )}
        {source.map(({ name, content, isEntry }) => (
          <Fold key={name} summary={isEntry ? `${name} (entry file)` : name} lazy>
            <CodeBlock label={name} rows={30}>
              <UntrustedText text={content} />
            </CodeBlock>
          </Fold>
        ))}
      </Stack>
    </Section>
  )
}
