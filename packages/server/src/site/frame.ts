/** What all pages share, made from the settings once: names, URLs, and the files that they request. */
import { createHash } from 'node:crypto';
import { brotliCompressSync, constants } from 'node:zlib';
import { accentedTexts, assets, type Asset, type AssetName, type Frame } from '@bot-directory/site';

/** The settings that pages show. */
export type SiteSettings = {
  readonly baseUrl: string;
  readonly template: { readonly host: string };
  readonly social: { readonly host: string };
  readonly site: {
    readonly name: string;
    readonly description: string;
    /** `mailto:` or `https:`. */
    readonly contact: string | undefined;
    /** `#rrggbb`, checked for contrast. */
    readonly accent: string | undefined;
  };
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

/** The frame of every page. */
export const frameOf = ({ baseUrl, template, social, site }: SiteSettings, files: readonly Asset[]): Frame => {
  const path = (name: AssetName): string => files.find((asset) => asset.name === name)?.path ?? '';
  return {
    name: site.name,
    description: site.description,
    contact: site.contact,
    baseUrl,
    templateHost: template.host,
    socialHost: social.host,
    assets: { styles: path('site.css'), script: path('site.js'), icon: path('icon.svg') },
  };
};
