/** What all pages share: the site of a process, its names, its URLs, its headers, and the files that pages request. */
import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { RequestHandler } from 'express';
import {
  accentedTexts,
  assets,
  integrationName,
  page,
  type Asset,
  type AssetName,
  type Frame,
  type NameIntegration,
  type PictureOf,
  type View,
} from '@bot-directory/site';
import type { FieldError, openApi } from '@bot-directory/contract';
import { Failure } from '../base/failure.ts';
import type { Config } from '../config.ts';
import type { Directory } from '../directory/directory.ts';
import type { Categories } from '../domain/names.ts';
import type { ReadingStore } from '../store/readings/reading-store.ts';
import { headerLine, headOf, type Head, type WriteHead } from '../http/node-internals.ts';
import { commonHeaders, inertPolicy, nothingHere, type Sendable } from '../http/problems.ts';
import { requestIdOf } from '../http/request-id.ts';
import { acceptedEncodings, type Encoding } from '../reads/representation.ts';
import type { Pictures } from './pictures.ts';

/** The site of one directory. */
export type Site = {
  readonly directory: Directory;
  /** What was found of templates; undefined without a store. */
  readonly readings: Pick<ReadingStore, 'lastOf'> | undefined;
  readonly frame: Frame;
  /** The files that pages request. */
  readonly files: readonly Asset[];
  /** The pictures of bots, for previews of links, and what they look like. */
  readonly pictures: Pictures;
  readonly look: Pick<PictureOf, 'siteName' | 'styles' | 'icon'>;
  readonly categories: Categories;
  /** Words by which a category is suggested. */
  readonly categoryWords: ReadonlyMap<string, readonly string[]>;
  /** The OpenAPI document, with this directory's hosts and categories. */
  readonly document: ReturnType<typeof openApi>;
  /** `mailto:` or `https:`. */
  readonly securityContact: string | undefined;
  readonly webhook: { readonly retryDelaysMs: readonly number[]; readonly timeoutMs: number };
};

/** Makes a page. `formTarget`: an origin, besides ours, to which a form on it may redirect. */
export const sendablePage = ({ frame }: Pick<Site, 'frame'>, view: View, formTarget?: string): Sendable => ({
  body: page(frame, view),
  contentType: 'text/html; charset=utf-8',
  headers: pageHeaders(formTarget),
});

/** The settings that pages show. */
export type SiteSettings = Pick<Config, 'baseUrl' | 'approveFirst' | 'categories'> & {
  readonly template: Pick<Config['template'], 'host' | 'installOrigin'>;
  readonly social: Pick<Config['social'], 'host'>;
  readonly site: Omit<Config['site'], 'securityContact' | 'integrationNames'>;
};

/** The assets of pages, in the operator's colour. */
export const brandedAssets = (accent: string | undefined): readonly Asset[] => {
  if (accent === undefined) return assets;
  const texts = new Map<AssetName, string>(accentedTexts(accent).map(({ name, text }) => [name, text]));
  return assets.map((asset) => {
    const text = texts.get(asset.name);
    return text === undefined ? asset : withBody(asset, Buffer.from(text));
  });
};

const withBody = (asset: Asset, body: Buffer): Asset => {
  const hash = createHash('sha256').update(body).digest('base64url').replace(/[-_]/g, '').slice(0, 10);
  return {
    ...asset,
    path: `/assets/${asset.name.replace('.', `-${hash}.`)}`,
    body,
    brotli: brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  };
};

type Variant = { readonly body: Uint8Array; readonly head: Head };

const forEver = 'public, max-age=31536000, immutable';
const notKept = 'no-cache';

/**
 * Makes the handler of files. A file's path changes with its bytes, so that it can be cached forever. At the path that
 * it has in another process, of another release or other settings, there is today's: better than none, but not to keep.
 */
export const filesHandler = (
  files: readonly Asset[],
  { baseUrl, writeHead }: { readonly baseUrl: string; readonly writeHead: WriteHead },
): RequestHandler => {
  const headers = ['Vary', 'Accept-Encoding', ...fileHeaders(), ...commonHeaders(baseUrl)];
  const byPath = new Map(files.map((asset) => [asset.path, variantsOf(asset, ['Cache-Control', forEver, ...headers])]));
  const byName = new Map<string, ReadonlyMap<Encoding, Variant>>(
    files.map((asset) => [asset.name, variantsOf(asset, ['Cache-Control', notKept, ...headers])]),
  );
  return (req, res) => {
    const [, name = '', ending = ''] = /^\/assets\/(.+)-[A-Za-z0-9]+(\.\w+)$/.exec(req.path) ?? [];
    const variants = byPath.get(req.path) ?? byName.get(name + ending);
    const encoding = acceptedEncodings(req.headers['accept-encoding']).find((name) => variants?.has(name) === true);
    const variant = variants?.get(encoding ?? 'identity');
    if (variant === undefined) throw nothingHere();
    writeHead(res, variant.head, headerLine('X-Request-Id', requestIdOf(req)));
    res.end(variant.body);
  };
};

const variantsOf = ({ type, body, brotli }: Asset, headers: readonly string[]): ReadonlyMap<Encoding, Variant> => {
  const variant = (encoding: Encoding, bytes: Uint8Array): [Encoding, Variant] => [
    encoding,
    {
      body: bytes,
      head: headOf(200, [
        'Content-Type',
        type,
        'Content-Length',
        String(bytes.length),
        ...(encoding === 'identity' ? [] : ['Content-Encoding', encoding]),
        ...headers,
      ]),
    },
  ];
  const compressed = brotli === undefined ? [] : [variant('br', brotli), variant('gzip', gzipSync(body, { level: 9 }))];
  return new Map([variant('identity', body), ...compressed]);
};

/** The frame of every page. `isStored`: whether anything can be saved. */
export const frameOf = (settings: SiteSettings, files: readonly Asset[], isStored: boolean): Frame => {
  const { baseUrl, template, social, site, approveFirst, categories } = settings;
  const path = (name: AssetName): string => files.find((asset) => asset.name === name)?.path ?? '';
  return {
    name: site.name,
    description: site.description,
    contact: site.contact,
    baseUrl,
    templateHost: template.host,
    installOrigin: template.installOrigin,
    socialHost: social.host,
    categories: [...categories, ...(categories.former?.keys() ?? [])],
    integrationName,
    submissions: !isStored ? 'closed' : approveFirst ? 'reviewed' : 'open',
    assets: {
      styles: path('site.css'),
      script: path('site.js'),
      docsStyles: path('docs.css'),
      docsScript: path('docs.js'),
      formsScript: path('forms.js'),
      icon: path('icon.svg'),
    },
  };
};

/** Names integrations as the operator chose, else as they are known, else as they are written on the oldest bot. */
export const integrationNames =
  (chosen: ReadonlyMap<string, string>, directory: Directory): NameIntegration =>
  (slug, written) =>
    chosen.get(slug) ?? integrationName(slug, directory.bots.written.get(slug) ?? written);

/** What pictures of bots look like: the colours of the assets. */
export const lookOf = ({ site }: SiteSettings, files: readonly Asset[]): Site['look'] => {
  const text = (name: AssetName): string =>
    Buffer.from(files.find((asset) => asset.name === name)?.body ?? []).toString();
  return { siteName: site.name, styles: text('site.css'), icon: text('icon.svg') };
};

/** Headers of a page. `formTarget`: an origin, besides ours, to which a form on the page may redirect. */
export const pageHeaders = (formTarget?: string): readonly string[] => [
  'Content-Security-Policy',
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    `form-action 'self'${formTarget === undefined ? '' : ` ${formTarget}`}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  ...sharingHeaders(false),
  'Cross-Origin-Opener-Policy',
  'same-origin',
  'Permissions-Policy',
  permissions,
];

/** Headers of a feed, a picture or another file. `isShared`: other sites may embed it. */
export const fileHeaders = ({ isShared = false } = {}): readonly string[] => [
  ...inertPolicy,
  ...sharingHeaders(isShared),
];

const sharingHeaders = (isShared: boolean): readonly string[] => [
  'Referrer-Policy',
  'strict-origin-when-cross-origin',
  'Cross-Origin-Resource-Policy',
  isShared ? 'cross-origin' : 'same-origin',
];

const refusedFeatures = ['camera', 'geolocation', 'microphone', 'payment', 'usb', 'browsing-topics'];
const permissions = [...refusedFeatures.map((name) => `${name}=()`), 'clipboard-write=(self)'].join(', ');

/** The types of feeds. */
export const atomType = 'application/atom+xml; charset=utf-8';
export const jsonFeedType = 'application/feed+json; charset=utf-8';

/** The failure of an invalid parameter in a page's URL. */
export const refusedQuery = (errors: readonly FieldError[]): Failure =>
  new Failure('invalid_request', 'We couldn’t understand part of the link:', { errors });
