import { useMemo, useState } from 'react'
import type { ConfigParameter } from '../../../src-preload/contract/chain.ts'
import { BocView } from '../../components/body/boc-view.tsx'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { useShownNetwork } from '../../components/network-tag.tsx'
import { SearchField } from '../../components/list/search-field.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/toast.tsx'
import { EmptyState } from '../../ui/loaded.tsx'
import { formatCount } from '../../ui/format.ts'
import { KeyValues, Tag, Text, Columns, Pane, Row, Section, Stack } from '../../ui/layout.tsx'
import { ChainLoaded, useChainData } from './chain-data.tsx'
import { findParameters } from './words.ts'

/** The parameters of the network, as its validators have set them. */
export function ConfigView() {
  const network = useShownNetwork().id
  return (
    <ChainLoaded query={useChainData('chain.config', { network })} of="the configuration">
      {({ parameters, raw }) => <Content parameters={parameters} raw={raw} />}
    </ChainLoaded>
  )
}

function Content({ parameters, raw }: { parameters: readonly ConfigParameter[]; raw: string }) {
  const [typed, setTyped] = useState('')
  const found = useMemo(() => findParameters(parameters, typed), [parameters, typed])
  return (
    <Pane>
      <Row as="header" pad="m" line="below" gap="l">
        <Text as="h2" size="m" over="nowrap">
          Blockchain configuration
        </Text>
        <SearchField
          label="Search the parameters"
          placeholder="For example: gas, 21, validators"
          value={typed}
          onSearch={setTyped}
        />
        <Text tone="dim" size="s" role="status" over="nowrap">
          {typed.trim() === ''
            ? formatCount(parameters.length, 'parameter')
            : `${found.length} of ${formatCount(parameters.length, 'parameter')}`}
        </Text>
        {raw !== '' && (
          <Row last>
            <CopyButton text={raw} what="Whole configuration as BOC" label="Copy BOC" />
          </Row>
        )}
      </Row>
      {found.length === 0 ? (
        <EmptyState
          title="No parameter found"
          detail="Search for the number, name, description or value of a parameter."
        />
      ) : (
        <Stack scroll gap="none" tabIndex={0} role="region" aria-label="Parameters">
          {found.map((parameter) => (
            <Parameter key={parameter.number} parameter={parameter} />
          ))}
        </Stack>
      )}
    </Pane>
  )
}

/** Long parameters, such as the list of validators, show so many values at first. */
const shownAtFirst = 40

function Parameter({ parameter }: { parameter: ConfigParameter }) {
  const [showsAll, setShowsAll] = useState(false)
  const [showsRaw, setShowsRaw] = useState(false)
  const { number, name, description, fields, raw } = parameter
  const shown = showsAll ? fields : fields.slice(0, shownAtFirst)
  return (
    <Section
      title={name}
      actions={
        <>
          <Tag>{number}</Tag>
          <Text tone="dim" size="s">
            {description}
          </Text>
          {raw !== null && (
            <Row last>
              <Button kind="quiet" aria-expanded={showsRaw} onClick={() => setShowsRaw(!showsRaw)}>
                Raw<Text hidden> value of {name}</Text>
              </Button>
            </Row>
          )}
        </>
      }
    >
      <Columns least={420} gap="l">
        <Stack>
          <KeyValues
            wide
            pairs={shown.map((field, index) => [
              field.name === '' ? String(index) : field.name,
              <Text key={index} mono>
                <UntrustedText text={field.value} />
              </Text>,
            ])}
          />
          {shown.length < fields.length && (
            <Row>
              <Button kind="link" onClick={() => setShowsAll(true)}>
                Show all {formatCount(fields.length, 'value')}
              </Button>
            </Row>
          )}
        </Stack>
        {showsRaw && raw !== null && (
          <BocView boxed boc={raw} what={`Parameter ${number}`} fileName={`config-${number}.boc`} />
        )}
      </Columns>
    </Section>
  )
}
