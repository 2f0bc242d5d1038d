/** Every category in use, those with most bots first. */
import { Layout } from '../parts/layout.tsx';
import type { CategoriesView, Frame } from '../views.ts';
import { CategoryTiles } from './directory-shelves.tsx';

/** The page. */
export const CategoriesPage = ({ frame, view }: { frame: Frame; view: CategoriesView }) => (
  <Layout
    frame={frame}
    title="Categories"
    description="What the bots in this directory are for."
    path="/categories"
    section="directory"
  >
    <div class="stack">
      <div class="text">
        <h1>Categories</h1>
        <p class="lede">
          {view.categories.length === 0 ? 'No bot has a category yet.' : 'What the bots here are for.'}
        </p>
      </div>
      <CategoryTiles categories={view.categories} level={2} />
    </div>
  </Layout>
);
