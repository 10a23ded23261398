//! The layout of one table's files: all rows of a part are one row group. Its own columns are packed batch by batch while rows come in, and
//! its file is written when it closes.

use super::column_order::declare_type_defined;
use super::constant_column::Constant;
use super::encoding::properties;
use super::rows::Table;
use super::run_key::RunKey;
use arrow::array::RecordBatch;
use arrow::datatypes::Schema;
use parquet::arrow::arrow_writer::{ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::arrow::{ArrowSchemaConverter, add_encoded_arrow_schema_to_metadata};
use parquet::errors::Result;
use parquet::file::properties::WriterPropertiesPtr;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::SchemaDescriptor;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// How the files of a table are written.
pub struct Layout {
    schema: SchemaDescriptor,
    properties: WriterPropertiesPtr,
    /// The values of the first columns.
    constants: Vec<Constant>,
    /// Makes writers of the other columns.
    writers: ArrowRowGroupWriterFactory,
}

/// The own columns of a part that is not closed yet.
pub struct Packed {
    columns: Vec<ArrowColumnWriter>,
    n_rows: usize,
}

impl Layout {
    pub fn new(table: Table, run: &RunKey) -> Result<Self> {
        let columns = run.schema(table);
        let mut properties = properties(&columns, &run.run_id);
        add_encoded_arrow_schema_to_metadata(&columns, &mut properties);
        let (schema, properties) = (ArrowSchemaConverter::new().convert(&columns)?, Arc::new(properties));
        // Each writer holds a compressor, which constant columns do not need.
        let own = Schema::new(table.own_fields());
        let own_columns = ArrowSchemaConverter::new().convert(&own)?;
        let file = SerializedFileWriter::new(io::sink(), own_columns.root_schema_ptr(), properties.clone())?;
        let writers = ArrowRowGroupWriterFactory::new(&file, Arc::new(own));
        Ok(Self { schema, properties, constants: run.constants(), writers })
    }

    /// Begins a part.
    pub fn begin(&self) -> Result<Packed> {
        Ok(Packed { columns: self.writers.create_column_writers(0)?, n_rows: 0 })
    }

    /// Writes a part to its file.
    pub fn write(&self, path: &Path, part: Packed) -> std::result::Result<(), Box<dyn std::error::Error>> {
        self.write_to(File::create(path)?, part)?;
        Ok(declare_type_defined(path, self.schema.num_columns())?)
    }

    /// The bytes of such a file.
    pub fn bytes(&self, part: Packed) -> Result<Vec<u8>> {
        self.write_to(Vec::new(), part)
    }

    fn write_to<W: io::Write + Send>(&self, sink: W, part: Packed) -> Result<W> {
        let mut file = SerializedFileWriter::new(sink, self.schema.root_schema_ptr(), self.properties.clone())?;
        if part.n_rows > 0 {
            self.write_rows(file.next_row_group()?, part)?;
        }
        file.into_inner()
    }

    fn write_rows<W: io::Write + Send>(&self, mut group: SerializedRowGroupWriter<W>, part: Packed) -> Result<()> {
        for (constant, column) in self.constants.iter().zip(self.schema.columns()) {
            let (bytes, about) = constant.chunk(column.clone(), part.n_rows)?;
            group.append_column(&bytes, about)?;
        }
        for column in part.columns {
            column.close()?.append_to_row_group(&mut group)?;
        }
        group.close().map(drop)
    }
}

impl Packed {
    pub fn len(&self) -> usize {
        self.n_rows
    }

    /// Packs a batch of the table's own columns.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        let mut packed = self.columns.iter_mut();
        for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
            for leaf in compute_leaves(field, column)? {
                packed.next().expect("each leaf has a writer").write(&leaf)?;
            }
        }
        self.n_rows += batch.num_rows();
        Ok(())
    }
}
