//! The layout of one table's files: all rows of a part are one row group, and columns that are the same in all rows are written as one value.

use super::column::Compressor;
use super::column_order::declare_type_defined;
use super::constant_column::Constant;
use super::encoding::properties;
use super::part::Part;
use super::rows::Table;
use super::run_key::RunKey;
use arrow::datatypes::Schema;
use parquet::arrow::{ArrowSchemaConverter, add_encoded_arrow_schema_to_metadata};
use parquet::errors::Result;
use parquet::file::properties::WriterPropertiesPtr;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::SchemaDescriptor;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;
use std::sync::Arc;

/// Bytes that are written to a file at once.
const FILE_BUFFER: usize = 256 << 10;

/// How the files of a table are written.
pub struct Layout {
    schema: SchemaDescriptor,
    properties: WriterPropertiesPtr,
    /// The values of the first columns.
    constants: Vec<Constant>,
}

impl Layout {
    /// The layout of a run's files.
    pub fn of_run(table: Table, run: &RunKey) -> Result<Self> {
        Self::new(&run.schema(table), &run.run_id, run.constants())
    }

    /// The layout of files that do not say whose rows they hold.
    pub fn of_rows(table: Table) -> Result<Self> {
        Self::new(&Schema::new(table.own_fields()), "", Vec::new())
    }

    fn new(columns: &Schema, run_id: &str, constants: Vec<Constant>) -> Result<Self> {
        let mut properties = properties(run_id);
        add_encoded_arrow_schema_to_metadata(columns, &mut properties);
        let schema = ArrowSchemaConverter::new().convert(columns)?;
        Ok(Self { schema, properties: Arc::new(properties), constants })
    }

    /// Writes a part to its file.
    pub fn write(&self, path: &Path, part: &Part, compressor: &mut Compressor) -> std::result::Result<(), Box<dyn std::error::Error>> {
        self.write_to(BufWriter::with_capacity(FILE_BUFFER, File::create(path)?), part, compressor)?.into_inner()?;
        Ok(declare_type_defined(path, self.schema.num_columns())?)
    }

    /// The bytes of such a file.
    pub fn bytes(&self, part: &Part, compressor: &mut Compressor) -> Result<Vec<u8>> {
        self.write_to(Vec::new(), part, compressor)
    }

    fn write_to<W: io::Write + Send>(&self, sink: W, part: &Part, compressor: &mut Compressor) -> Result<W> {
        let mut file = SerializedFileWriter::new(sink, self.schema.root_schema_ptr(), self.properties.clone())?;
        if part.len() > 0 {
            self.write_rows(file.next_row_group()?, part, compressor)?;
        }
        file.into_inner()
    }

    fn write_rows<W: io::Write + Send>(
        &self,
        mut group: SerializedRowGroupWriter<W>,
        part: &Part,
        compressor: &mut Compressor,
    ) -> Result<()> {
        let (first, own) = self.schema.columns().split_at(self.constants.len());
        let constants = self.constants.iter().zip(first).map(|(constant, column)| constant.chunk(column.clone(), part.len()));
        for chunk in constants.chain(part.chunks(own, compressor)) {
            let (bytes, about) = chunk?;
            group.append_column(&bytes, about)?;
        }
        group.close().map(drop)
    }
}
